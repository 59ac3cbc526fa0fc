const SOON_MILLIS = 14 * 86_400_000;

/** Returns `soon` for a key that expires within 14 days. */
export function expiryState(expiresAt: string | null, now: number): 'never' | 'later' | 'soon' | 'expired' {
  if (expiresAt === null) return 'never';
  const left = Date.parse(expiresAt) - now;
  if (left <= 0) return 'expired';
  return left < SOON_MILLIS ? 'soon' : 'later';
}

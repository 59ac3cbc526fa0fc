const UNIT_MILLIS = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const;

/** How durations are written in definitions: `500ms 20s 10m 24h 30d`. */
export const DURATION_PATTERN = '^[0-9]{1,9}(ms|s|m|h|d)$';
const DURATION = /^([0-9]{1,9})(ms|s|m|h|d)$/;

/** Milliseconds of a duration such as `20s`, or undefined where the text is none. */
export function parseDuration(text: string): number | undefined {
  const match = DURATION.exec(text);
  if (!match) return undefined;
  return Number(match[1]) * UNIT_MILLIS[match[2] as keyof typeof UNIT_MILLIS];
}

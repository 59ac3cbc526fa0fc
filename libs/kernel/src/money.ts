/** Amounts are integers, in millionths of a currency unit: a float never holds money. */
const MICROS = 1_000_000n;

/** Decimal text with at least two places and no more than needed: `1500000n` → `"1.50"`, `1n` → `"0.000001"`. */
export function formatMicros(micros: bigint): string {
  const sign = micros < 0n ? '-' : '';
  const absolute = micros < 0n ? -micros : micros;
  const fraction = (absolute % MICROS)
    .toString()
    .padStart(6, '0')
    .replace(/0{1,4}$/, '');
  return `${sign}${absolute / MICROS}.${fraction}`;
}

/** The inverse of {@link formatMicros}. Returns undefined for anything but a plain decimal with at most six places. */
export function parseMicros(text: string): bigint | undefined {
  const match = /^(-?)(\d{1,12})(?:\.(\d{1,6}))?$/.exec(text);
  if (!match) return undefined;
  const micros = BigInt(match[2]!) * MICROS + BigInt((match[3] ?? '').padEnd(6, '0'));
  return match[1] ? -micros : micros;
}

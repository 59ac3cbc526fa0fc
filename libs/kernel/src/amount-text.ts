const UNITS = [
  ['MiB', 1024 * 1024],
  ['KiB', 1024],
] as const;

export function byteText(bytes: number): string {
  const unit = UNITS.find(([, size]) => bytes >= size && bytes % size === 0);
  return unit ? `${bytes / unit[1]} ${unit[0]}` : `${bytes} bytes`;
}

/** Amounts of money are integers in millionths of a currency unit, never floats. */
const MICROS = 1_000_000n;

export function formatMicros(micros: bigint): string {
  const sign = micros < 0n ? '-' : '';
  const absolute = micros < 0n ? -micros : micros;
  const fraction = (absolute % MICROS)
    .toString()
    .padStart(6, '0')
    .replace(/0{1,4}$/, '');
  return `${sign}${absolute / MICROS}.${fraction}`;
}

export function parseMicros(text: string): bigint | undefined {
  const match = /^(-?)(\d{1,12})(?:\.(\d{1,6}))?$/.exec(text);
  if (!match) return undefined;
  const micros = BigInt(match[2]!) * MICROS + BigInt((match[3] ?? '').padEnd(6, '0'));
  return match[1] ? -micros : micros;
}

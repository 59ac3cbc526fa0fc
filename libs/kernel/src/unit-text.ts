const UNITS = [
  ['MiB', 1024 * 1024],
  ['KiB', 1024],
] as const;

/** A number of bytes for people, exactly: `50 MiB`, `256 KiB`, `1000 bytes`. */
export function byteText(bytes: number): string {
  const unit = UNITS.find(([, size]) => bytes >= size && bytes % size === 0);
  return unit ? `${bytes / unit[1]} ${unit[0]}` : `${bytes} bytes`;
}

const HOUR_MILLIS = 3_600_000;

/** Whole hours for people, of milliseconds: `24 hours`. */
export function hourText(millis: number): string {
  const hours = millis / HOUR_MILLIS;
  return hours === 1 ? '1 hour' : `${hours} hours`;
}

const UNIT_MILLIS = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const;

/**
 * Durations in definitions: `500ms`, `20s`, `10m`, `24h`, `30d`. The longest duration is about 30 years, so the current
 * time plus a duration is always a valid Date.
 */
export const DURATION_PATTERN = '^([0-9]{1,9}(ms|s)|[0-9]{1,7}m|[0-9]{1,5}h|[0-9]{1,4}d)$';
const DURATION = new RegExp(DURATION_PATTERN);

export function parseDuration(text: string): number | undefined {
  if (!DURATION.test(text)) return undefined;
  const [, unit = ''] = text.split(/[0-9]+/);
  return Number.parseInt(text, 10) * UNIT_MILLIS[unit as keyof typeof UNIT_MILLIS];
}

const RFC_3339 =
  /^(?!0000)(\d{4})-(\d{2})-(\d{2})[Tt]([01]\d|2[0-3]):(\d{2}):(\d{2})(\.\d{1,9})?([Zz]|[+-]\d{2}:\d{2})$/;

/**
 * Parses an RFC 3339 date-time, to the millisecond. Returns undefined for any other text, and for dates that Postgres
 * rejects: 30 February, 24:00 and the year 0.
 */
export function parseTimestamp(text: string): Date | undefined {
  const match = RFC_3339.exec(text);
  if (!match) return undefined;
  const [, year, month, day] = match.map(Number);
  const lastDay = new Date(Date.UTC(year ?? 0, month ?? 0, 0)).getUTCDate();
  const instant = new Date(text.toUpperCase());
  return (day ?? 0) <= lastDay && !Number.isNaN(instant.getTime()) ? instant : undefined;
}

export function parseInstant(text: string): Date | undefined {
  return parseTimestamp(text.replace(/(T\d{2}:\d{2})(?=Z|[+-])/, '$1:00'));
}

export function formatDuration(millis: number): string {
  const [unit, size] = Object.entries(UNIT_MILLIS).findLast(([, each]) => millis % each === 0) ?? ['ms', 1];
  return `${millis / size}${unit}`;
}

const HOUR_MILLIS = 3_600_000;

export function hourText(millis: number): string {
  const hours = millis / HOUR_MILLIS;
  return hours === 1 ? '1 hour' : `${hours} hours`;
}

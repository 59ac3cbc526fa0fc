const RFC_3339 =
  /^(?!0000)(\d{4})-(\d{2})-(\d{2})[Tt]([01]\d|2[0-3]):(\d{2}):(\d{2})(\.\d{1,9})?([Zz]|[+-]\d{2}:\d{2})$/;

/**
 * The instant that an RFC 3339 date-time names, to the millisecond; undefined for anything else, also for 30 February, 24 o'clock and
 * the year 0, which Postgres does not know.
 */
export function parseTimestamp(text: string): Date | undefined {
  const match = RFC_3339.exec(text);
  if (!match) return undefined;
  const [, year, month, day] = match.map(Number);
  const lastDay = new Date(Date.UTC(year ?? 0, month ?? 0, 0)).getUTCDate();
  const instant = new Date(text.toUpperCase());
  return (day ?? 0) <= lastDay && !Number.isNaN(instant.getTime()) ? instant : undefined;
}

/** As {@link parseTimestamp}, for times that people write in definitions: the seconds may be left out. */
export function parseInstant(text: string): Date | undefined {
  return parseTimestamp(text.replace(/(T\d{2}:\d{2})(?=Z|[+-])/, '$1:00'));
}

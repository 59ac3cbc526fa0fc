const RFC_3339 = /^(\d{4})-(\d{2})-(\d{2})[Tt]([01]\d|2[0-3]):(\d{2}):(\d{2})(\.\d{1,9})?([Zz]|[+-]\d{2}:\d{2})$/;

/** The instant that an RFC 3339 date-time names, to the millisecond; undefined for anything else, also for 30 February and 24 o'clock. */
export function parseTimestamp(text: string): Date | undefined {
  const match = RFC_3339.exec(text);
  if (!match) return undefined;
  const [, year, month, day] = match.map(Number);
  const lastDay = new Date(Date.UTC(year ?? 0, month ?? 0, 0)).getUTCDate();
  const instant = new Date(text.toUpperCase());
  return (day ?? 0) <= lastDay && !Number.isNaN(instant.getTime()) ? instant : undefined;
}

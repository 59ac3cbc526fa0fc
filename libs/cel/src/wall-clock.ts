/**
 * Converts between local times and instants of IANA time zones. A wall time is represented by the UTC Date with the
 * same digits. A wall time is not an instant: it may be skipped when clocks go forward, and occurs twice when they go
 * back.
 */

const DAY_MS = 86_400_000;
const formats = new Map<string, Intl.DateTimeFormat>();

export function wallTime(instant: Date, zone: string): Date {
  const parts = new Map(
    formatFor(zone)
      .formatToParts(instant)
      .map(({ type, value }) => [type, Number(value)]),
  );
  const part = (name: Intl.DateTimeFormatPartTypes): number => parts.get(name) ?? 0;
  const wall = new Date(0);
  // `Date.UTC` would read years below 100 as years of the 20th century.
  wall.setUTCFullYear(part('year'), part('month') - 1, part('day'));
  wall.setUTCHours(part('hour'), part('minute'), part('second'));
  return wall;
}

/** If the clocks skip this wall time, returns the instant of the clock change. */
export function instantOf(wall: Date, zone: string): Date {
  const [before, after] = [offsetAt(wall.getTime() - DAY_MS, zone), offsetAt(wall.getTime() + DAY_MS, zone)];
  // Of two offsets, the larger one yields the earlier instant, so it is tried first.
  const candidates = [Math.max(before, after), Math.min(before, after)].map((offset) => wall.getTime() - offset);
  const found = candidates.find((instant) => wallTime(new Date(instant), zone).getTime() === wall.getTime());
  if (found !== undefined) return new Date(found);
  return new Date(transitionBetween(wall.getTime() - DAY_MS, wall.getTime() + DAY_MS, zone));
}

function offsetAt(instant: number, zone: string): number {
  const seconds = Math.floor(instant / 1_000) * 1_000;
  return wallTime(new Date(seconds), zone).getTime() - seconds;
}

/** Returns the first instant, to the second, that has the offset of `until`. */
function transitionBetween(from: number, until: number, zone: string): number {
  const offset = offsetAt(until, zone);
  let [low, high] = [Math.floor(from / 1_000), Math.floor(until / 1_000)];
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    if (offsetAt(middle * 1_000, zone) === offset) high = middle;
    else low = middle;
  }
  return high * 1_000;
}

function formatFor(zone: string): Intl.DateTimeFormat {
  const known = formats.get(zone);
  if (known) return known;
  const format = new Intl.DateTimeFormat('en-US', {
    timeZone: zone,
    calendar: 'gregory',
    numberingSystem: 'latn',
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
    second: 'numeric',
  });
  formats.set(zone, format);
  return format;
}

/** Whether an IANA time zone of this name exists. Offsets such as `+01:00` are not accepted. */
export function isTimeZone(name: string): boolean {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone !== '' && !/^[+-]/.test(name);
  } catch {
    return false;
  }
}

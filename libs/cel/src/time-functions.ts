import { spend } from './cel-cost.js';
import { instantOf, isTimeZone, wallTime } from './wall-clock.js';
import { isInRange } from './moments.js';
import { fail, type FunctionSpec } from './function-spec.js';
import { FIELDS, type Field, type Moment, type Token, tokensOf } from './time-pattern.js';

const ZONE_WORK = 32;
const UTC = 'UTC';
const RFC_3339 = /^\d{4}-\d{2}-\d{2}[Tt](?:[01]\d|2[0-3]):\d{2}:\d{2}(?:\.\d+)?(?:[Zz]|[+-](?:[01]\d|2[0-3]):[0-5]\d)$/;
/** A fixed offset from UTC in the place of a time zone, such as `+02:00`, `-05:30` or `02:00`. */
const OFFSET = /^([+-]?)([01]\d|2[0-3]):([0-5]\d)$/;
const ZONE_HINT = 'Write an IANA name or an offset, for example `Europe/Berlin` or `+02:00`.';
const MINUTE_MS = 60_000;

function format(when: Date | string, pattern: string, zone = UTC): string {
  const instant = typeof when === 'string' ? instantIn(when) : when;
  const tokens = patternTokens(pattern);
  const wall = localTime(instant, zone);
  const moment: Moment = {
    year: wall.getUTCFullYear(),
    month: wall.getUTCMonth() + 1,
    day: wall.getUTCDate(),
    weekday: wall.getUTCDay(),
    hour: wall.getUTCHours(),
    minute: wall.getUTCMinutes(),
    second: wall.getUTCSeconds(),
    millisecond: instant.getUTCMilliseconds(),
    offset: Math.round((wall.getTime() - Math.floor(instant.getTime() / 1_000) * 1_000) / MINUTE_MS),
  };
  return tokens.map((token) => ('text' in token ? token.text : token.field.write(moment))).join('');
}

function localTime(instant: Date, zone: string): Date {
  spend(ZONE_WORK);
  const seconds = Math.floor(instant.getTime() / 1_000) * 1_000;
  const offset = offsetOf(zone);
  return offset === undefined ? wallTime(new Date(seconds), zone) : new Date(seconds + offset * MINUTE_MS);
}

function offsetOf(zone: string): number | undefined {
  if (zone === UTC) return 0;
  const [, sign, hours, minutes] = OFFSET.exec(zone) ?? [];
  if (hours !== undefined) return (sign === '-' ? -1 : 1) * (Number(hours) * 60 + Number(minutes));
  if (!isZone(zone)) fail('has an unknown time zone', 'failed', ZONE_HINT);
  return undefined;
}

const zones = new Map<string, boolean>();

function isZone(name: string): boolean {
  const known = zones.get(name);
  if (known !== undefined) return known;
  const isKnown = name.length <= 64 && /^[A-Za-z]/.test(name) && isTimeZone(name);
  if (zones.size >= 1_000) zones.clear();
  zones.set(name, isKnown);
  return isKnown;
}

export function zoneProblem(name: string): string | undefined {
  return OFFSET.test(name) || isZone(name) ? undefined : 'there is no such time zone';
}

function instantIn(text: string): Date {
  return (
    readInstant(text) ??
    fail('reads a string that is not an RFC 3339 time', 'failed', 'Convert the string with `time.parse`.')
  );
}

function readInstant(text: string): Date | undefined {
  const instant = RFC_3339.test(text) ? new Date(text.toUpperCase()) : undefined;
  // The Date constructor reads 30 February as 2 March, so the day is checked.
  const day = Number(text.slice(8, 10));
  return instant !== undefined && isInRange(instant) && day <= daysIn(text) ? instant : undefined;
}

/**
 * Also reads the other forms that the engine accepted before. A text without an offset is in UTC, never in a local
 * zone.
 */
function timestampOf(text: string): Date {
  const instant = readInstant(text) ?? (RFC_3339.test(text) ? undefined : looseInstant(text));
  return (
    instant ?? fail('converts a string that is not an RFC 3339 time', 'failed', 'Convert the string with `time.parse`.')
  );
}

function looseInstant(text: string): Date | undefined {
  if (text.length < 20 || text.length > 30) return undefined;
  const instant = new Date(/(?:Z|GMT|UTC|[+-]\d{2}:?\d{2})$/i.test(text) ? text : `${text}Z`);
  return isInRange(instant) ? instant : undefined;
}

function timestampOfSeconds(seconds: bigint): Date {
  const instant = new Date(Number(seconds) * 1_000);
  return isInRange(instant)
    ? instant
    : fail('converts seconds since 1970 that are beyond the year 9999', 'failed', 'Divide milliseconds by 1000.');
}

const DAY_MS = 86_400_000;

/** The parts of a local time. The first month, the first day of a month and the first day of a year are 0. */
const PARTS: Readonly<Record<string, (wall: Date, instant: Date) => number>> = {
  getFullYear: (wall) => wall.getUTCFullYear(),
  getMonth: (wall) => wall.getUTCMonth(),
  getDate: (wall) => wall.getUTCDate(),
  getDayOfMonth: (wall) => wall.getUTCDate() - 1,
  getDayOfWeek: (wall) => wall.getUTCDay(),
  getDayOfYear: (wall) => (startOfDay(wall) - new Date(startOfDay(wall)).setUTCMonth(0, 1)) / DAY_MS,
  getHours: (wall) => wall.getUTCHours(),
  getMinutes: (wall) => wall.getUTCMinutes(),
  getSeconds: (wall) => wall.getUTCSeconds(),
  getMilliseconds: (_wall, instant) => instant.getUTCMilliseconds(),
};

export const TIME_PARTS: readonly string[] = Object.keys(PARTS);

function startOfDay(wall: Date): number {
  return new Date(wall).setUTCHours(0, 0, 0, 0);
}

const TIMESTAMP = 'google.protobuf.Timestamp';

/** Replace the functions of the engine, which read local times through the time zone of the host. */
const PART_FUNCTIONS = Object.entries(PARTS).flatMap(([name, part]): FunctionSpec[] => {
  const read = (instant: Date, zone = UTC): bigint => BigInt(part(localTime(instant, zone), instant));
  return [
    [`${TIMESTAMP}.${name}(): int`, (instant: Date): bigint => read(instant)],
    [`${TIMESTAMP}.${name}(string): int`, read],
  ];
});

function daysIn(text: string): number {
  return new Date(Date.UTC(2000 + (Number(text.slice(0, 4)) % 400), Number(text.slice(5, 7)), 0)).getUTCDate();
}

function patternTokens(pattern: string): readonly Token[] {
  const tokens = tokensOf(pattern);
  spend(pattern.length);
  return typeof tokens === 'string' ? fail(`has an unusable pattern`, 'failed', PATTERN_HINT) : tokens;
}

const PATTERN_HINT = `Known fields are ${FIELDS.map(({ letters }) => letters).join(' ')}. Put other text in single quotes.`;

function parse(text: string, pattern: string, zone = UTC): Date {
  const moment: Partial<Moment> & { isAfternoon?: boolean } = {};
  let rest = text;
  for (const token of patternTokens(pattern)) {
    const length = 'text' in token ? lengthOfText(token.text, rest) : readField(token.field, rest, moment);
    if (length === undefined) fail('reads a string that does not match the pattern');
    rest = rest.slice(length);
  }
  if (rest !== '') fail('reads a string that is longer than the pattern');
  return momentInstant(moment, zone);
}

function lengthOfText(expected: string, rest: string): number | undefined {
  return rest.startsWith(expected) ? expected.length : undefined;
}

type Parsed = Partial<Moment> & { isAfternoon?: boolean };

function readField(field: Field, rest: string, moment: Parsed): number | undefined {
  const found = field.read(rest);
  if (!found) return undefined;
  for (const [name, value] of Object.entries(found.values)) {
    const before = moment[name as keyof Parsed];
    if (before !== undefined && before !== value) fail('reads a string whose parts contradict one another');
  }
  Object.assign(moment, found.values);
  return found.length;
}

function momentInstant(moment: Parsed, zone: string): Date {
  const { year = 1970, month = 1, day = 1, minute = 0, second = 0, millisecond = 0, offset, weekday } = moment;
  const hour = hourOf(moment);
  // `Date.UTC` would read years below 100 as years of the 20th century.
  const wall = new Date(0);
  wall.setUTCFullYear(year, month - 1, day);
  if (wall.getUTCMonth() !== month - 1 || wall.getUTCDate() !== day) fail('reads a date that does not exist');
  if (weekday !== undefined && wall.getUTCDay() !== weekday) fail('reads a date with another day of the week');
  wall.setUTCHours(hour, minute, second, 0);
  spend(ZONE_WORK);
  const fixed = offset ?? offsetOf(zone);
  const instant = fixed === undefined ? instantOf(wall, zone).getTime() : wall.getTime() - fixed * MINUTE_MS;
  const result = new Date(instant + millisecond);
  return isInRange(result) ? result : fail('reads a time beyond the year 9999');
}

function hourOf({ hour, hour12, isAfternoon }: Parsed & { hour12?: number }): number {
  if (hour12 === undefined) return hour ?? 0;
  return (hour12 % 12) + (isAfternoon === true ? 12 : 0);
}

export const TIME_FUNCTIONS: readonly FunctionSpec[] = [
  ...PART_FUNCTIONS,
  [`timestamp(string): ${TIMESTAMP}`, timestampOf],
  [`timestamp(int): ${TIMESTAMP}`, timestampOfSeconds],
  [`timestamp(${TIMESTAMP}): ${TIMESTAMP}`, (instant: Date): Date => instant],
  [`int(${TIMESTAMP}): int`, (instant: Date): bigint => BigInt(Math.floor(instant.getTime() / 1_000))],
  ...[TIMESTAMP, 'string'].flatMap((when): FunctionSpec[] => [
    [
      `time.format(${when}, string): string`,
      (instant: Date | string, pattern: string): string => format(instant, pattern),
    ],
    [`time.format(${when}, string, string): string`, format],
  ]),
  [
    'time.parse(string, string): google.protobuf.Timestamp',
    (text: string, pattern: string): Date => parse(text, pattern),
  ],
  ['time.parse(string, string, string): google.protobuf.Timestamp', parse],
];

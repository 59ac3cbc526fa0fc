/** `offset` is in minutes; positive if the zone is ahead of UTC. `weekday` 0 is Sunday. */
export interface Moment {
  readonly year: number;
  readonly month: number;
  readonly day: number;
  readonly weekday: number;
  readonly hour: number;
  readonly minute: number;
  readonly second: number;
  readonly millisecond: number;
  readonly offset: number;
}

/** The parts of a moment that a field of a pattern determines. `hour12` and `isAfternoon` together give the hour. */
export type FieldValues = { -readonly [name in keyof Moment]?: number } & { hour12?: number; isAfternoon?: boolean };

export interface Field {
  readonly letters: string;
  write(moment: Moment): string;
  read(text: string): { readonly length: number; readonly values: FieldValues } | undefined;
}

export type Token = { readonly text: string } | { readonly field: Field };

const MONTHS = [
  'January', 'February', 'March', 'April', 'May', 'June', 'July', 'August', 'September', 'October', 'November', 'December',
]; // prettier-ignore
const WEEKDAYS = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday'];
const SHORT_NAME = 3;
const MAX_PATTERN_LENGTH = 256;

function pad(value: number, digits: number): string {
  return String(value).padStart(digits, '0');
}

interface NumberField {
  readonly letters: string;
  readonly digits: readonly [least: number, most: number];
  readonly range: readonly [from: number, to: number];
  readonly of: (moment: Moment) => number;
  readonly values: (value: number) => FieldValues;
}

function numberField({ letters, digits: [least, most], range: [from, to], of, values }: NumberField): Field {
  const pattern = new RegExp(`^\\d{${least},${most}}`);
  return {
    letters,
    write: (moment) => pad(of(moment), least),
    read: (text) => {
      const [written] = pattern.exec(text) ?? [];
      const value = Number(written);
      return written !== undefined && value >= from && value <= to
        ? { length: written.length, values: values(value) }
        : undefined;
    },
  };
}

function nameField(
  letters: string,
  names: readonly string[],
  of: (moment: Moment) => number,
  values: (index: number) => FieldValues,
): Field {
  return {
    letters,
    write: (moment) => names[of(moment)] ?? '',
    read: (text) => {
      const index = names.findIndex((name) => text.slice(0, name.length).toLowerCase() === name.toLowerCase());
      const name = names[index];
      return name === undefined ? undefined : { length: name.length, values: values(index) };
    },
  };
}

/** Creates the field for an offset from UTC. Offset 0 is written as the text `utc`, or in digits without `utc`. */
function offsetField(letters: string, separator: string, utc?: string): Field {
  const pattern = new RegExp(`^([+-])([01]\\d|2[0-3])${separator}([0-5]\\d)`);
  return {
    letters,
    write: ({ offset }) => {
      if (offset === 0 && utc !== undefined) return utc;
      const minutes = Math.abs(offset);
      return `${offset < 0 ? '-' : '+'}${pad(Math.trunc(minutes / 60), 2)}${separator}${pad(minutes % 60, 2)}`;
    },
    read: (text) => {
      if (utc !== undefined && text.startsWith(utc)) return { length: utc.length, values: { offset: 0 } };
      const [written, sign, hours, minutes] = pattern.exec(text) ?? [];
      if (written === undefined) return undefined;
      const offset = Number(hours) * 60 + Number(minutes);
      return { length: written.length, values: { offset: sign === '-' && offset > 0 ? -offset : offset } };
    },
  };
}

function short(names: readonly string[]): string[] {
  return names.map((name) => name.slice(0, SHORT_NAME));
}

const month = (value: number): FieldValues => ({ month: value });
const day = (value: number): FieldValues => ({ day: value });
const hour = (value: number): FieldValues => ({ hour: value });
const hour12 = (value: number): FieldValues => ({ hour12: value });
const twelve = ({ hour: value }: Moment): number => value % 12 || 12;

export const FIELDS: readonly Field[] = [
  numberField({ letters: 'yyyy', digits: [4, 4], range: [1, 9999], of: (m) => m.year, values: (year) => ({ year }) }),
  numberField({
    letters: 'yy',
    digits: [2, 2],
    range: [0, 99],
    of: (m) => m.year % 100,
    values: (year) => ({ year: 2000 + year }),
  }),
  nameField('MMMM', MONTHS, (m) => m.month - 1, (index) => month(index + 1)),
  nameField('MMM', short(MONTHS), (m) => m.month - 1, (index) => month(index + 1)),
  numberField({ letters: 'MM', digits: [2, 2], range: [1, 12], of: (m) => m.month, values: month }),
  numberField({ letters: 'M', digits: [1, 2], range: [1, 12], of: (m) => m.month, values: month }),
  numberField({ letters: 'dd', digits: [2, 2], range: [1, 31], of: (m) => m.day, values: day }),
  numberField({ letters: 'd', digits: [1, 2], range: [1, 31], of: (m) => m.day, values: day }),
  nameField('EEEE', WEEKDAYS, (m) => m.weekday, (weekday) => ({ weekday })),
  nameField('EEE', short(WEEKDAYS), (m) => m.weekday, (weekday) => ({ weekday })),
  numberField({ letters: 'HH', digits: [2, 2], range: [0, 23], of: (m) => m.hour, values: hour }),
  numberField({ letters: 'H', digits: [1, 2], range: [0, 23], of: (m) => m.hour, values: hour }),
  numberField({ letters: 'hh', digits: [2, 2], range: [1, 12], of: twelve, values: hour12 }),
  numberField({ letters: 'h', digits: [1, 2], range: [1, 12], of: twelve, values: hour12 }),
  numberField({ letters: 'mm', digits: [2, 2], range: [0, 59], of: (m) => m.minute, values: (minute) => ({ minute }) }),
  numberField({ letters: 'ss', digits: [2, 2], range: [0, 59], of: (m) => m.second, values: (second) => ({ second }) }),
  numberField({
    letters: 'SSS',
    digits: [3, 3],
    range: [0, 999],
    of: (m) => m.millisecond,
    values: (millisecond) => ({ millisecond }),
  }),
  nameField('a', ['AM', 'PM'], (m) => (m.hour < 12 ? 0 : 1), (index) => ({ isAfternoon: index === 1 })),
  offsetField('XXX', ':', 'Z'),
  offsetField('xx', ''),
]; // prettier-ignore

const byLetters = new Map(FIELDS.map((field) => [field.letters, field]));
const PART = /'((?:[^']|'')*)'|([A-Za-z])\2*|[^A-Za-z']+|'/g;
const CACHE_SIZE = 256;
const cached = new Map<string, readonly Token[] | string>();

export function tokensOf(pattern: string): readonly Token[] | string {
  const known = cached.get(pattern);
  if (known) return known;
  const tokens = readPattern(pattern);
  if (cached.size >= CACHE_SIZE) cached.clear();
  cached.set(pattern, tokens);
  return tokens;
}

export function timePatternProblem(pattern: string): string | undefined {
  const tokens = tokensOf(pattern);
  return typeof tokens === 'string' ? tokens : undefined;
}

function readPattern(pattern: string): readonly Token[] | string {
  if (pattern.length > MAX_PATTERN_LENGTH) return `it has more than ${MAX_PATTERN_LENGTH} characters`;
  const tokens: Token[] = [];
  for (const [part, quoted, letter] of pattern.matchAll(PART)) {
    const field = byLetters.get(part);
    if (field) tokens.push({ field });
    else if (letter !== undefined) return `\`${part.slice(0, 8)}\` is not a known field`;
    else if (part === "'") return "a `'` is not closed";
    else if (quoted === undefined) tokens.push({ text: part });
    // Two single quotes in a row mean one single quote, both inside and outside of quoted text.
    else tokens.push({ text: quoted === '' ? "'" : quoted.replaceAll("''", "'") });
  }
  return tokens;
}

import { LANGUAGE_CODES } from '../bases/text-languages.js';

const ONE_FORM = /^(?:[A-Z]?[a-z]+|[A-Z]+|[0-9]+)$/;
const REPLACED: Readonly<Record<string, string>> = {
  ß: 'ss', æ: 'ae', œ: 'oe', ø: 'o', ł: 'l', đ: 'd', ð: 'd', þ: 'th', ı: 'i', ё: 'е',
}; // prettier-ignore
/** Letters that people also write as two letters. */
const SPELLED_OUT: Readonly<Record<string, string>> = { ä: 'ae', ö: 'oe', ü: 'ue', ø: 'oe', å: 'aa' };
/** Scripts in which readers recognise a word without its diacritics. */
const WITHOUT_DIACRITICS = /^[\p{Script=Latin}\p{Script=Greek}\p{Script=Arabic}\p{Script=Hebrew}\p{M}\p{N}']+$/u;
/** Shorter words without a capital letter are mostly stop words, such as `für`. */
const SHORTEST_PLAIN = 4;
const NAME_WITH_APOSTROPHE = /^[oO]'|'\p{Lu}/u;
/** The parts of an identifier such as `parseHTTPHeader`, and of a code such as `AB123`. */
const PARTS = /\p{Lu}+(?!\p{Ll})|\p{Lu}?\p{Ll}+|\p{N}+/gu;
const MAX_PARTS = 8;

export function otherSpellings(word: string): string[] {
  if (ONE_FORM.test(word)) return [];
  const forms = new Set(partsOf(word));
  const lower = word.toLowerCase();
  const joined = NAME_WITH_APOSTROPHE.test(word) ? lower.replaceAll("'", '') : lower;
  forms.add(joined);
  if (!/^[\0-\x7f]*$/.test(joined) && (word.length >= SHORTEST_PLAIN || /^\p{Lu}/u.test(word))) {
    forms.add(withoutDiacritics(replaceLetters(joined, REPLACED)));
    forms.add(withoutDiacritics(replaceLetters(replaceLetters(joined, SPELLED_OUT), REPLACED)));
  }
  forms.delete(lower);
  return [...forms];
}

function partsOf(word: string): string[] {
  if (!/^\p{N}*\p{L}[\p{L}\p{N}]*$/u.test(word)) return [];
  const parts = word.match(PARTS) ?? [];
  return parts.length > 1 && parts.length <= MAX_PARTS ? parts.filter((part) => part.length > 1) : [];
}

function replaceLetters(word: string, letters: Readonly<Record<string, string>>): string {
  return word.replace(/[^\0-\x7f]/gu, (letter) => letters[letter] ?? letter);
}

function withoutDiacritics(word: string): string {
  return WITHOUT_DIACRITICS.test(word) ? word.normalize('NFD').replace(/\p{M}/gu, '') : word;
}

/** The limits of the patterns keep their time linear. */
export function numericForms(text: string): string[] {
  if (!/\d/.test(text)) return [];
  return [...new Set([...numbersIn(text), ...datesIn(text), ...timesIn(text), ...codesIn(text)])];
}

const INITIALS = /(?<![\p{L}\p{N}.])(?:\p{Lu}\. ?){1,7}\p{Lu}(?:\.|(?![\p{L}\p{N}]))/gu;

/** Returns `USA` for `U.S.A.` and `JRR` for `J. R. R.`. */
export function initials(text: string): string[] {
  return Array.from(text.matchAll(INITIALS), ([letters]) => letters.replace(/[. ]/g, ''));
}

const NUMBER = /(?<![\p{L}\p{N}.,])(\d{1,3}([., '])\d{3}(?:\2\d{3}){0,5}|\d{1,20})(?:[.,](\d{1,2}))?(?!\p{N}|[.,]\d)/gu;

/** Returns `1234` and `1234.5` for `1,234.50`, `1.234,50`, `1 234,5` and `1234.5`. */
function* numbersIn(text: string): Generator<string> {
  for (const [, digits = '', , decimals = ''] of text.matchAll(NUMBER)) {
    const whole = digits.replace(/\D/g, '');
    const fraction = decimals.replace(/0+$/, '');
    if (whole !== digits || (decimals !== '' && whole.length > 3)) yield whole;
    if (fraction !== '') yield `${whole}.${fraction}`;
  }
}

const YEAR_FIRST = /(?<!\d)(\d{4})(?:[-./]|\s?年\s?)(\d{1,2})(?:[-./]|\s?月\s?)(\d{1,2})(?!\d)/g;
const YEAR_LAST = /(?<!\d)(\d{1,2})[-./] ?(\d{1,2})[-./] ?(\d{4})(?!\d)/g;
const SHORT_YEAR = /(?<![\d.,/-])(\d{1,2})([./-])(\d{1,2})\2(\d{2})(?!\d|[.,/-]\d)/g;
const DAY_MONTH = /(?<!\d)(\d{1,2})(?:\.|st|nd|rd|th|er|º)? (?:de |of )?(\p{L}{3,15})\.?,? (?:de )?(\d{4})(?!\d)/giu;
const MONTH_DAY = /(?<!\p{L})(\p{L}{3,15})\.? (\d{1,2})(?:st|nd|rd|th)?,? (\d{4})(?!\d)/giu;

/**
 * Returns `20240305` and the year for each form of this date. If day and month may be swapped, returns both dates.
 */
function* datesIn(text: string): Generator<string> {
  for (const [, year, month, day] of text.matchAll(YEAR_FIRST)) yield* dateOf(year, month, day);
  for (const [, first, second, year] of text.matchAll(YEAR_LAST)) {
    yield* dateOf(year, second, first);
    yield* dateOf(year, first, second);
  }
  for (const [, first, , second, year = ''] of text.matchAll(SHORT_YEAR)) {
    yield* dateOf(`20${year}`, second, first);
    yield* dateOf(`20${year}`, first, second);
  }
  for (const [, day, month = '', year] of text.matchAll(DAY_MONTH)) yield* dateOf(year, monthNamed(month), day);
  for (const [, month = '', day, year] of text.matchAll(MONTH_DAY)) yield* dateOf(year, monthNamed(month), day);
}

function* dateOf(year = '', month = '', day = ''): Generator<string> {
  const isDate = Number(month) >= 1 && Number(month) <= 12 && Number(day) >= 1 && Number(day) <= 31;
  if (isDate) yield* [year + month.padStart(2, '0') + day.padStart(2, '0'), year];
}

let months: Map<string, string> | undefined;

function monthNamed(name: string): string | undefined {
  months ??= monthNames();
  return months.get(name.toLowerCase());
}

function monthNames(): Map<string, string> {
  const names = new Map<string, string>();
  const styles = [{ month: 'long' }, { month: 'long', day: 'numeric' }, { month: 'short' }] as const;
  for (const language of LANGUAGE_CODES)
    for (const style of styles) {
      const format = new Intl.DateTimeFormat(language, { ...style, timeZone: 'UTC' });
      for (let month = 1; month <= 12; month += 1) {
        const parts = format.formatToParts(Date.UTC(2024, month - 1, 1));
        const name =
          parts
            .find(({ type }) => type === 'month')
            ?.value.toLowerCase()
            .replace(/\.$/, '') ?? '';
        if (!names.has(name)) names.set(name, String(month));
      }
    }
  return names;
}

const TIME = /(?<![\d.,:])(\d{1,2})(?:[:h](\d{2}))?(?: ?([ap])\.?m(?![\p{L}\p{N}]))?(?![\d:]|[.,]\d)/giu;

/** Returns `14h30` for `14:30`, `14h30` and `2:30 pm`, and `14h00` for `2 pm`. */
function* timesIn(text: string): Generator<string> {
  for (const [, hours, minutes, half = ''] of text.matchAll(TIME)) {
    if (minutes === undefined && half === '') continue;
    const isAfternoon = half.toLowerCase() === 'p';
    const hour = half === '' ? Number(hours) : (Number(hours) % 12) + (isAfternoon ? 12 : 0);
    if (hour < 24 && Number(minutes ?? 0) < 60) yield `${hour}h${minutes ?? '00'}`;
  }
}

const CODE = /(?<![\p{L}\p{N}.,/-])(?:[A-Z]{1,4}[ -]?)?\d(?:[\d ()/.-]{0,40}\d)?(?![\p{L}\p{N}]|[.,/-]\d)/gu;
const SHORTEST_CODE = 4;
const SHORTEST_TELEPHONE_NUMBER = 7;
/** Maximum number of digits of a telephone number (ITU-T E.164). */
const MAX_TELEPHONE_NUMBER = 15;
/** Number of last digits by which a telephone number with a country code equals one without. */
const SUBSCRIBER_DIGITS = 8;

function* codesIn(text: string): Generator<string> {
  for (const [code] of text.matchAll(CODE)) {
    const joined = code.replace(/[^A-Z\d]/g, '').replace(/^0+/, '');
    const isNumber = /^\d*$/.test(joined);
    if (joined.length >= (isNumber ? SHORTEST_TELEPHONE_NUMBER : SHORTEST_CODE) && joined !== code) yield joined;
    if (isNumber && joined.length > SUBSCRIBER_DIGITS && joined.length <= MAX_TELEPHONE_NUMBER)
      yield joined.slice(-SUBSCRIBER_DIGITS);
  }
}

import { spend } from './cel-cost.js';
import { fail, type FunctionSpec } from './function-spec.js';

const DEFAULT_LOCALE = 'en-US';
const MAX_PATTERN_LENGTH = 64;
const PATTERN = /^(%?)([#,]*[0,]*)(?:\.(0*)(#*))?(%?)$/;

interface NumberPattern {
  readonly isPercent: boolean;
  readonly percentFirst: boolean;
  readonly leastWhole: number;
  readonly leastDecimals: number;
  readonly mostDecimals: number;
  readonly groups: readonly [last: number, others: number];
}

interface Symbols {
  readonly digits: readonly string[];
  readonly decimal: string;
  readonly group: string;
  readonly minus: string;
  readonly percent: string;
}

function patternOf(pattern: string): NumberPattern | undefined {
  const [, first = '', whole = '', required = '', optional = '', last = ''] = PATTERN.exec(pattern) ?? [];
  const digits = whole.replaceAll(',', '');
  const isUnusable = digits + required + optional === '' || first + last === '%%' || /^,|,$|,,/.test(whole);
  if (pattern.length > MAX_PATTERN_LENGTH || isUnusable) return undefined;
  return {
    isPercent: first !== '' || last !== '',
    percentFirst: first !== '',
    leastWhole: digits.replaceAll('#', '').length,
    leastDecimals: required.length,
    mostDecimals: required.length + optional.length,
    groups: groupsOf(whole),
  };
}

function groupsOf(whole: string): readonly [last: number, others: number] {
  if (!whole.includes(',')) return [0, 0];
  const [last = '', before = '', ...others] = whole.split(',').reverse();
  return [last.length, others.length > 0 ? before.length : last.length];
}

export function numberPatternProblem(pattern: string): string | undefined {
  return patternOf(pattern) ? undefined : 'it must consist of `0`, `#`, `,`, `.` and `%`, as in `#,##0.00`';
}

export function localeProblem(locale: string): string | undefined {
  return symbolsOf(locale) ? undefined : 'there is no such locale';
}

function format(value: number | bigint, pattern: string, locale = DEFAULT_LOCALE): string {
  spend(16 + pattern.length);
  const form =
    patternOf(pattern) ?? fail('has an unusable pattern', 'failed', 'Write a pattern such as `#,##0.00` or `0.0%`.');
  const symbols = symbolsOf(locale) ?? fail('has an unknown locale', 'failed', 'Write a BCP 47 tag, such as `en-US`.');
  if (typeof value === 'number' && !Number.isFinite(value)) fail('formats a number that is not finite');
  const { whole, decimals, isNegative } = rounded(value, form);
  const digit = (text: string): string => text.replace(/\d/g, (one) => symbols.digits[Number(one)] ?? one);
  const number = digit(grouped(whole, form.groups).join(symbols.group === '' ? '' : '\0')).replaceAll(
    '\0',
    symbols.group,
  );
  const written = decimals === '' ? number : `${number}${symbols.decimal}${digit(decimals)}`;
  const signed = isNegative ? symbols.minus : '';
  if (!form.isPercent) return signed + written;
  return form.percentFirst ? signed + symbols.percent + written : signed + written + symbols.percent;
}

/** Rounds a number, starting from its shortest decimal form. Ties are rounded away from zero. */
function rounded(
  value: number | bigint,
  form: NumberPattern,
): { whole: string; decimals: string; isNegative: boolean } {
  const [mantissa = '', exponent = '0'] =
    typeof value === 'bigint' ? [String(value)] : value.toExponential().split('e');
  const [, sign, head = '0', tail = ''] = /^(-?)(\d+)\.?(\d*)$/.exec(mantissa) ?? [];
  const point = Number(exponent) - tail.length + (form.isPercent ? 2 : 0);
  // The number is `digits * 10 ** point`.
  const digits = BigInt(head + tail);
  const shift = point + form.mostDecimals;
  const scaled = shift >= 0 ? digits * 10n ** BigInt(shift) : roundedQuotient(digits, -shift);
  const text = scaled.toString().padStart(form.mostDecimals + 1, '0');
  const cut = text.length - form.mostDecimals;
  const written = text.slice(cut);
  const decimals = written.slice(0, form.leastDecimals) + written.slice(form.leastDecimals).replace(/0+$/, '');
  const whole = text.slice(0, cut).replace(/^0+/, '').padStart(form.leastWhole, '0');
  return { whole: whole === '' && decimals === '' ? '0' : whole, decimals, isNegative: sign === '-' && scaled !== 0n };
}

/**
 * The caller ensures that `digits` is much smaller than ten to the power of 400. The result is therefore 0 if `places`
 * is greater than 400.
 */
function roundedQuotient(digits: bigint, places: number): bigint {
  if (places > 400) return 0n;
  const divisor = 10n ** BigInt(places);
  return (digits * 2n + divisor) / (divisor * 2n);
}

function grouped(whole: string, [last, others]: readonly [number, number]): string[] {
  if (last === 0 || whole.length <= last) return [whole];
  const groups = [whole.slice(-last)];
  for (let end = whole.length - last; end > 0; end -= others)
    groups.unshift(whole.slice(Math.max(0, end - others), end));
  return groups;
}

const symbols = new Map<string, Symbols | undefined>();

function symbolsOf(locale: string): Symbols | undefined {
  if (symbols.has(locale)) return symbols.get(locale);
  const found = readSymbols(locale);
  if (symbols.size >= 1_000) symbols.clear();
  symbols.set(locale, found);
  return found;
}

function readSymbols(locale: string): Symbols | undefined {
  if (locale.length > 64 || !isLocale(locale)) return undefined;
  const number = new Intl.NumberFormat(locale, { useGrouping: true, minimumFractionDigits: 1 });
  const parts = number.formatToParts(-123_456_789.5);
  const percent = new Intl.NumberFormat(locale, { style: 'percent' }).formatToParts(0.5);
  const part = (type: Intl.NumberFormatPartTypes, from = parts): string =>
    from.find((one) => one.type === type)?.value ?? '';
  const plain = new Intl.NumberFormat(locale, { useGrouping: false });
  return {
    digits: Array.from({ length: 10 }, (_, digit) => plain.format(digit)),
    decimal: part('decimal'),
    group: part('group'),
    minus: part('minusSign'),
    percent: part('percentSign', percent),
  };
}

function isLocale(locale: string): boolean {
  try {
    return Intl.NumberFormat.supportedLocalesOf(locale).length > 0;
  } catch {
    return false;
  }
}

export const NUMBER_FUNCTIONS: readonly FunctionSpec[] = ['double', 'int'].flatMap((type): FunctionSpec[] => [
  [`number.format(${type}, string): string`, (value: number | bigint, pattern: string) => format(value, pattern)],
  [`number.format(${type}, string, string): string`, format],
]);

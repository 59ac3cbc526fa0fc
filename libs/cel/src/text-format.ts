import { Optional } from '@marcbachmann/cel-js';
import { Duration } from '@marcbachmann/cel-js/evaluator';
import { spend, checkLength } from './cel-cost.js';
import { durationText, timestampText } from './moments.js';
import { fail, isEngineMap, membersOf } from './function-spec.js';

const CLAUSE = /%(?:%|(?:\.(\d{1,3}))?([A-Za-z]))|%/g;
const MAX_PRECISION = 100;
const DEFAULT_PRECISION = 6;

export function format(text: string, items: readonly unknown[]): string {
  let next = 0;
  let length = text.length;
  return text.replace(CLAUSE, (clause, precision: string | undefined, letter: string | undefined) => {
    if (clause === '%%') return '%';
    if (letter === undefined) fail('has a `%` without a clause', 'failed', 'Write `%%` for a percent sign.');
    if (next >= items.length) fail('has more clauses than its list has items', 'out_of_bounds');
    const digits = precision === undefined ? undefined : Number(precision);
    if (digits !== undefined && digits > MAX_PRECISION) fail(`has a precision beyond ${MAX_PRECISION}`);
    const written = clauseText(letter, items[next++], digits ?? DEFAULT_PRECISION);
    length += written.length;
    checkLength(length);
    spend(1 + (written.length >> 6));
    return written;
  });
}

function clauseText(letter: string, value: unknown, digits: number): string {
  switch (letter) {
    case 's':
      return textOf(value);
    case 'd':
      return typeof value === 'number' && !Number.isFinite(value)
        ? doubleText(value)
        : String(wholeNumber(value, '%d'));
    case 'f':
      return fixed(numberOf(value, '%f'), digits);
    case 'e':
      return scientific(Number(numberOf(value, '%e')), digits);
    case 'x':
      return hexOf(value);
    case 'X':
      return hexOf(value).toUpperCase();
    case 'o':
      return inBase(wholeNumber(value, '%o'), 8);
    case 'b':
      return typeof value === 'boolean' ? (value ? '1' : '0') : inBase(wholeNumber(value, '%b'), 2);
    default:
      return fail(
        `has the unknown clause \`%${letter}\``,
        'failed',
        'Known clauses are %s %d %f %e %x %X %o %b and %%.',
      );
  }
}

function textOf(value: unknown): string {
  if (typeof value === 'string') return value;
  if (value === null || typeof value === 'boolean' || typeof value === 'bigint') return String(value);
  if (typeof value === 'number') return doubleText(value);
  if (value instanceof Date) return timestampText(value);
  if (value instanceof Duration) return durationText(value);
  if (value instanceof Uint8Array) return Buffer.from(value).toString('utf8');
  if (value instanceof Optional) return value.hasValue() ? `optional(${textOf(value.value())})` : 'optional.none()';
  spend(1);
  if (Array.isArray(value)) return `[${value.map(textOf).join(', ')}]`;
  if (!isEngineMap(value)) return otherText(value);
  const members = membersOf(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${members.map(([key, member]) => `${key}: ${textOf(member)}`).join(', ')}}`;
}

function otherText(value: unknown): string {
  const inner: unknown = typeof value === 'object' && value !== null ? value.valueOf() : value;
  if (typeof inner === 'bigint') return String(inner);
  const name: unknown = typeof value === 'object' && value !== null && 'name' in value ? value.name : undefined;
  return typeof name === 'string' ? name : fail('formats a value that has no text form', 'type');
}

function doubleText(value: number): string {
  if (Number.isFinite(value) || Number.isNaN(value)) return String(value);
  return value > 0 ? 'Infinity' : '-Infinity';
}

function wholeNumber(value: unknown, clause: string): bigint {
  if (typeof value === 'bigint') return value;
  const inner: unknown = typeof value === 'object' && value !== null ? value.valueOf() : undefined;
  if (typeof inner === 'bigint') return inner;
  return fail(
    `formats a value with \`${clause}\` that is not a whole number`,
    'type',
    typeof value === 'number' ? 'Numbers from data are doubles: convert them with `int(…)`.' : undefined,
  );
}

function numberOf(value: unknown, clause: string): number | bigint {
  if (typeof value === 'number' || typeof value === 'bigint') return value;
  return fail(`formats a value with \`${clause}\` that is not a number`, 'type');
}

function hexOf(value: unknown): string {
  if (typeof value === 'string') return Buffer.from(value, 'utf8').toString('hex');
  if (value instanceof Uint8Array) return Buffer.from(value).toString('hex');
  return inBase(wholeNumber(value, '%x'), 16);
}

function inBase(value: bigint, base: number): string {
  return value.toString(base);
}

/**
 * Writes a number with this many decimals. Rounds its exact binary value. If two results are equally close, the last
 * digit is even.
 */
function fixed(value: number | bigint, digits: number): string {
  if (typeof value === 'bigint') return digits === 0 ? String(value) : `${value}.${'0'.repeat(digits)}`;
  if (!Number.isFinite(value)) return doubleText(value);
  const { mantissa, exponent } = binaryOf(Math.abs(value));
  const scaled = mantissa * 10n ** BigInt(digits);
  const rounded = exponent >= 0 ? scaled << BigInt(exponent) : halfEven(scaled, 1n << BigInt(-exponent));
  const text = rounded.toString().padStart(digits + 1, '0');
  const sign = value < 0 || Object.is(value, -0) ? '-' : '';
  return digits === 0 ? sign + text : `${sign}${text.slice(0, -digits)}.${text.slice(-digits)}`;
}

function halfEven(value: bigint, divisor: bigint): bigint {
  const [quotient, rest] = [value / divisor, (value % divisor) * 2n];
  if (rest === divisor) return quotient + (quotient & 1n);
  return rest > divisor ? quotient + 1n : quotient;
}

function binaryOf(value: number): { mantissa: bigint; exponent: number } {
  const bits = new DataView(new ArrayBuffer(8));
  bits.setFloat64(0, value);
  const raw = bits.getBigUint64(0);
  const power = Number((raw >> 52n) & 0x7ffn);
  const fraction = raw & 0xfffffffffffffn;
  return power === 0
    ? { mantissa: fraction, exponent: -1_074 }
    : { mantissa: fraction | (1n << 52n), exponent: power - 1_075 };
}

function scientific(value: number, digits: number): string {
  if (!Number.isFinite(value)) return doubleText(value);
  return value.toExponential(digits).replace(/e([+-])(\d)$/, 'e$10$2');
}

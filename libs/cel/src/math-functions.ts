import { spend } from './cel-cost.js';
import { fail, type FunctionSpec, uintOf } from './function-spec.js';

const INT_RANGE = 2n ** 63n;
const MAX_ARGUMENTS = 16;

/** Rounds to the nearest whole number. A tie is rounded away from zero. */
function round(value: number): number {
  const whole = Math.trunc(value);
  return Math.abs(value - whole) >= 0.5 ? whole + Math.sign(value) : whole;
}

function absolute(value: unknown): number | bigint {
  const number = numberOf(value);
  if (number === -INT_RANGE) fail('exceeds the range of 64-bit whole numbers');
  return number < 0 ? -number : number;
}

function sign(value: unknown): number | bigint {
  const number = numberOf(value);
  if (typeof number === 'number') return Math.sign(number);
  return number > 0n ? 1n : number < 0n ? -1n : 0n;
}

function greatest(...values: unknown[]): number | bigint {
  return best(values, (value, other) => value > other);
}

function least(...values: unknown[]): number | bigint {
  return best(values, (value, other) => value < other);
}

function best(values: readonly unknown[], isBetter: (value: number | bigint, than: number | bigint) => boolean) {
  const [first, ...others] = values.length === 1 && Array.isArray(values[0]) ? (values[0] as unknown[]) : values;
  if (first === undefined) return fail('needs at least one number, but the list is empty');
  spend(others.length);
  let found = numberOf(first);
  for (const other of others) {
    const number = numberOf(other);
    if (isBetter(number, found)) found = number;
  }
  return found;
}

function intOf(unsigned: object): bigint {
  const value = uintOf(unsigned);
  return value !== undefined && value < INT_RANGE ? value : fail('exceeds the range of 64-bit whole numbers');
}

function numberOf(value: unknown): number | bigint {
  if (typeof value === 'number' || typeof value === 'bigint') return value;
  const unsigned = uintOf(value);
  if (unsigned !== undefined) return unsigned;
  return fail('computes with a value that is not a number', 'type');
}

const COMPARED = Array.from({ length: MAX_ARGUMENTS }, (_, index) => Array.from({ length: index + 1 }, () => 'dyn'));

export const MATH_FUNCTIONS: readonly FunctionSpec[] = [
  ...COMPARED.map((types): FunctionSpec => [`math.greatest(${types.join(', ')}): dyn`, greatest]),
  ...COMPARED.map((types): FunctionSpec => [`math.least(${types.join(', ')}): dyn`, least]),
  ['int(uint): int', intOf],
  ['math.ceil(double): double', Math.ceil],
  ['math.floor(double): double', Math.floor],
  ['math.trunc(double): double', Math.trunc],
  ['math.round(double): double', round],
  ['math.isNaN(double): bool', Number.isNaN],
  ['math.isInf(double): bool', (value: number): boolean => Math.abs(value) === Infinity],
  ['math.isFinite(double): bool', Number.isFinite],
  ['math.abs(dyn): dyn', absolute],
  ['math.sign(dyn): dyn', sign],
];

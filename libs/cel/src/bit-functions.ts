import { UnsignedInt } from '@marcbachmann/cel-js/evaluator';
import { fail, type FunctionSpec } from './function-spec.js';

const BITS = 64;

function int(value: bigint): bigint {
  return BigInt.asIntN(BITS, value);
}

function uint(value: bigint): UnsignedInt {
  return new UnsignedInt(BigInt.asUintN(BITS, value));
}

function onTwo(name: string, compute: (left: bigint, right: bigint) => bigint): FunctionSpec[] {
  return [
    [`math.${name}(int, int): int`, (left: bigint, right: bigint): bigint => int(compute(left, right))],
    [
      `math.${name}(uint, uint): uint`,
      (left: UnsignedInt, right: UnsignedInt): UnsignedInt => uint(compute(left.value, right.value)),
    ],
  ];
}

/** The bits of a negative int are shifted like those of a uint, so a shift to the right adds zeros. */
function shift(name: string, compute: (bits: bigint, count: bigint) => bigint): FunctionSpec[] {
  const shifted = (value: bigint, count: bigint): bigint => {
    if (count < 0n) fail('shifts by a negative number');
    return count >= BITS ? 0n : compute(BigInt.asUintN(BITS, value), count);
  };
  return [
    [`math.${name}(int, int): int`, (value: bigint, count: bigint): bigint => int(shifted(value, count))],
    [
      `math.${name}(uint, int): uint`,
      (value: UnsignedInt, count: bigint): UnsignedInt => uint(shifted(value.value, count)),
    ],
  ];
}

export const BIT_FUNCTIONS: readonly FunctionSpec[] = [
  ...onTwo('bitAnd', (left, right) => left & right),
  ...onTwo('bitOr', (left, right) => left | right),
  ...onTwo('bitXor', (left, right) => left ^ right),
  ['math.bitNot(int): int', (value: bigint): bigint => ~value],
  ['math.bitNot(uint): uint', ({ value }: UnsignedInt): UnsignedInt => uint(~value)],
  ...shift('bitShiftLeft', (bits, count) => bits << count),
  ...shift('bitShiftRight', (bits, count) => bits >> count),
];

import { Optional } from '@marcbachmann/cel-js';
import { spend } from './cel-cost.js';
import { engineMap, type EngineMap, fail, type FunctionSpec, membersOf } from './function-spec.js';
import { sorted, valueKey } from './comparable-values.js';

const INT_RANGE = 2n ** 63n;

function slice(list: readonly unknown[], from: bigint, to: bigint): unknown[] {
  if (from < 0n || to < 0n) fail('uses a negative position', 'out_of_bounds');
  if (to > BigInt(list.length)) fail('reads a part beyond the end of the list', 'out_of_bounds');
  if (from > to) fail('has an end before its start', 'out_of_bounds');
  return list.slice(Number(from), Number(to));
}

function flatten(list: readonly unknown[], depth = 1n): unknown[] {
  if (depth < 0n) fail('has a negative depth', 'out_of_bounds');
  const flat: unknown[] = [];
  addFlat(list, depth, flat);
  return flat;
}

function addFlat(list: readonly unknown[], depth: bigint, flat: unknown[]): void {
  spend(list.length);
  for (const item of list) {
    if (Array.isArray(item) && depth > 0n) addFlat(item, depth - 1n, flat);
    else flat.push(item);
  }
}

function distinct(list: readonly unknown[]): unknown[] {
  const seen = new Set<string>();
  return list.filter((item) => {
    const key = valueKey(item);
    return !seen.has(key) && seen.add(key);
  });
}

function range(count: bigint): bigint[] {
  if (count < 0n) fail('has a negative length', 'out_of_bounds');
  spend(Number(count));
  return Array.from({ length: Number(count) }, (_, index) => BigInt(index));
}

function sum(list: readonly unknown[]): number | bigint {
  return list.length > 0 && typeof list[0] === 'bigint' ? sumOfInts(list) : sumOfDoubles(list);
}

function sumOfInts(list: readonly unknown[]): bigint {
  let total = 0n;
  for (const item of list) total += typeof item === 'bigint' ? item : notSummable();
  if (total >= INT_RANGE || total < -INT_RANGE) fail('exceeds the range of 64-bit whole numbers');
  return total;
}

function sumOfDoubles(list: readonly unknown[]): number {
  let total = 0;
  for (const item of list) total += typeof item === 'number' ? item : notSummable();
  return total;
}

function notSummable(): never {
  return fail('adds values that are not all numbers of one type', 'type', 'Convert the items: `x.map(i, double(i))`.');
}

function merge(map: EngineMap, winners: EngineMap): EngineMap {
  const members = [...membersOf(map), ...membersOf(winners)];
  spend(members.length);
  return engineMap(members);
}

function includesAll(list: readonly unknown[], part: readonly unknown[]): boolean {
  const keys = new Set(list.map(valueKey));
  return part.every((item) => keys.has(valueKey(item)));
}

function intersects(left: readonly unknown[], right: readonly unknown[]): boolean {
  const keys = new Set(left.map(valueKey));
  return right.some((item) => keys.has(valueKey(item)));
}

export const LIST_FUNCTIONS: readonly FunctionSpec[] = [
  ['list.slice(int, int): list', slice],
  ['list.flatten(): list', (list: readonly unknown[]): unknown[] => flatten(list)],
  ['list.flatten(int): list', flatten],
  ['list.distinct(): list', distinct],
  ['list.sort(): list', (list: readonly unknown[]): unknown[] => sorted(list, list)],
  ['list.reverse(): list', (list: readonly unknown[]): unknown[] => [...list].reverse()],
  ['list.first(): optional', (list: readonly unknown[]): Optional => Optional.of(list[0])],
  ['list.last(): optional', (list: readonly unknown[]): Optional => Optional.of(list.at(-1))],
  ['list.sum(): dyn', sum],
  ['map.merge(map): map', merge],
  ['lists.range(int): list<int>', range],
  ['sets.contains(list, list): bool', includesAll],
  [
    'sets.equivalent(list, list): bool',
    (a: unknown[], b: unknown[]): boolean => includesAll(a, b) && includesAll(b, a),
  ],
  ['sets.intersects(list, list): bool', intersects],
];

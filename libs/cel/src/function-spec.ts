import { EvaluationError } from '@marcbachmann/cel-js';
import type { ExpressionErrorCode } from './expression.js';

/**
 * One overload of a function: its signature and its implementation. `string.charAt(int): string` is a method,
 * `math.ceil(double): double` is a function of a namespace, and `duration(string): duration` is a plain function.
 */
export type FunctionSpec = readonly [signature: string, run: (...args: never[]) => unknown];

export const NAMESPACES: ReadonlySet<string> = new Set([
  'base64',
  'cel',
  'csv',
  'hash',
  'json',
  'lists',
  'math',
  'number',
  'optional',
  'regex',
  'run',
  'sets',
  'strings',
  'time',
  'url',
  'xml',
]);

export class FunctionFailure extends EvaluationError {
  constructor(
    readonly words: string,
    readonly kind: ExpressionErrorCode,
    readonly suggestion: string | undefined,
  ) {
    super({ code: 'function_failed', message: words });
  }
}

/** `words` must not contain data. */
export function fail(words: string, kind: ExpressionErrorCode = 'failed', suggestion?: string): never {
  throw new FunctionFailure(words, kind, suggestion);
}

export function uintOf(value: unknown): bigint | undefined {
  const inner: unknown = typeof value === 'object' && value !== null ? value.valueOf() : undefined;
  return typeof inner === 'bigint' ? inner : undefined;
}

/**
 * A map of the engine. It is a `Map` if a key is `constructor`, because the engine would read the type of a plain
 * object from that key.
 */
export type EngineMap = Record<string, unknown> | Map<string, unknown>;

/** Later members replace earlier ones of the same name. */
export function engineMap(members: Iterable<readonly [string, unknown]>): EngineMap {
  const map = new Map(members);
  return map.has('constructor') ? map : Object.fromEntries(map);
}

export function isEngineMap(value: unknown): value is EngineMap {
  if (value instanceof Map) return true;
  if (typeof value !== 'object' || value === null) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}

export function membersOf(map: EngineMap): [string, unknown][] {
  return map instanceof Map ? [...map] : Object.entries(map);
}

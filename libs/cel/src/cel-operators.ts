import { type ASTNode, EvaluationError, TypeError as CelTypeError } from '@marcbachmann/cel-js';
import { Duration } from '@marcbachmann/cel-js/evaluator';
import { areEqual } from './comparable-values.js';
import { isEngineMap } from './function-spec.js';
import type { KnownType } from './result-types.js';

/**
 * Operators that the engine does not compute as CEL specifies. The engine does not allow replacing its overloads, so
 * the nodes of an expression are changed.
 */

interface Checker {
  check(node: ASTNode, context: object): KnownType;
  getType(name: string): KnownType;
}

interface Evaluator {
  run(node: ASTNode, context: object): unknown;
}

interface Behaviour {
  readonly check: (checker: Checker, node: ASTNode, context: object) => KnownType;
  readonly evaluate: (evaluator: Evaluator, node: ASTNode, context: object) => unknown;
  readonly alternate?: ASTNode;
}

/** The engine has no public way to do so. */
export type Changeable = ASTNode & {
  readonly meta: Behaviour;
  setMeta<K extends keyof Behaviour>(key: K, value: Behaviour[K]): unknown;
};

const COMPARISONS: ReadonlySet<string> = new Set(['==', '!=', 'in', '<', '<=', '>', '>=']);
const ARITHMETIC: ReadonlySet<string> = new Set(['+', '-', '*', '/', '%']);
const NUMBERS: ReadonlySet<string> = new Set(['int', 'uint', 'double']);
/** Values of these kinds may be equal although their types differ: `[1] == [1.0]`. */
const CONTAINERS: ReadonlySet<string> = new Set(['list', 'map', 'optional']);
const NANOS_PER_SECOND = 1_000_000_000n;

const ORDERS: Readonly<Record<string, (order: number) => boolean>> = {
  '<': (order) => order < 0,
  '<=': (order) => order <= 0,
  '>': (order) => order > 0,
  '>=': (order) => order >= 0,
};

export function correctOperator(node: Changeable): void {
  if (!COMPARISONS.has(node.op) && !ARITHMETIC.has(node.op)) return;
  const { check } = node.meta;
  node.setMeta('check', (checker, ast, context) => {
    const [left, right] = operandsOf(ast).map((operand) => checker.check(operand, context));
    try {
      const type = check(checker, ast, context);
      // The engine declares the sum of a duration and a timestamp to be a duration.
      return ast.op === '+' && right?.name === TIMESTAMP && type.name === DURATION ? right : type;
    } catch (error) {
      if (left?.name === 'bytes' && right?.name === 'bytes' && orderBytes(node)) return checker.getType('bool');
      if (left && right && isComputable(ast.op, left, right, error))
        return checker.getType(COMPARISONS.has(ast.op) ? 'bool' : 'dyn');
      throw error;
    }
  });
  const equality = EQUALITIES[node.op];
  if (!equality) return;
  const { evaluate } = node.meta;
  node.setMeta('evaluate', (evaluator, ast, context) => {
    const [left, right] = operandsOf(ast).map((operand) => evaluator.run(operand, context));
    return equality(left, right) ?? evaluate(evaluator, ast, context);
  });
}

const TIMESTAMP = 'google.protobuf.Timestamp';
const DURATION = 'google.protobuf.Duration';

/** Compute a result, or return undefined if the engine computes it. */
const EQUALITIES: Readonly<Record<string, (left: unknown, right: unknown) => boolean | undefined>> = {
  '==': areEqual,
  '!=': (left, right) => !areEqual(left, right),
  in(left, right) {
    if (Array.isArray(right)) return right.some((item) => areEqual(left, item));
    if (!isEngineMap(right)) return undefined;
    return right instanceof Map ? right.has(String(left)) : Object.hasOwn(right, String(left));
  },
};

function operandsOf(node: ASTNode): readonly ASTNode[] {
  const operands: unknown = node.args;
  return Array.isArray(operands) ? (operands as ASTNode[]) : [];
}

/** Whether the engine refuses an operation that has a result in CEL. */
function isComputable(operator: string, left: KnownType, right: KnownType, error: unknown): boolean {
  // The items of an empty list literal have no type, and the engine finds several overloads that fit.
  const isKnownError = error instanceof EvaluationError || error instanceof CelTypeError;
  if (!isKnownError) return [left, right].some(hasNoType);
  if (operator === '==' || operator === '!=')
    return (
      (CONTAINERS.has(left.kind) && left.kind === right.kind) || (NUMBERS.has(left.name) && NUMBERS.has(right.name))
    );
  const item = right.valueType;
  if (operator === 'in' && right.kind === 'map') return true;
  return operator === 'in' && right.kind === 'list' && NUMBERS.has(left.name) && NUMBERS.has(item?.name ?? '');
}

/** Makes the node compare bytes, for which the engine has no order. Returns false for other operators. */
function orderBytes(node: Changeable): boolean {
  const isOrdered = ORDERS[node.op];
  if (!isOrdered) return false;
  node.setMeta('evaluate', (evaluator, ast, context) => {
    const [left, right] = operandsOf(ast).map((operand) => evaluator.run(operand, context) as Uint8Array);
    return left && right && isOrdered(Buffer.compare(left, right));
  });
  return true;
}

export function hasNoType({ kind, valueType }: KnownType): boolean {
  return kind === 'param' || (valueType !== undefined && hasNoType(valueType));
}

/** The sum of the engine is wrong by one second if both durations are negative. */
Duration.prototype.addDuration = function (this: Duration, other: Duration): Duration {
  return durationOf(nanosIn(this) + nanosIn(other));
};
Duration.prototype.subtractDuration = function (this: Duration, other: Duration): Duration {
  return durationOf(nanosIn(this) - nanosIn(other));
};

function nanosIn(duration: Duration): bigint {
  return duration.seconds * NANOS_PER_SECOND + BigInt(duration.nanos);
}

function durationOf(nanos: bigint): Duration {
  return new Duration(nanos / NANOS_PER_SECOND, Number(nanos % NANOS_PER_SECOND));
}

const ESCAPES: Readonly<Record<string, string>> = { a: '\x07', b: '\b', f: '\f', n: '\n', r: '\r', t: '\t', v: '\v' };
const BYTES_LITERAL = /^[bB]('''|"""|'|")(.*)\1$/s;
const BYTES_PART = /\\(?:[xX][0-9a-fA-F]{2}|[0-7]{3}|.)|[^\\]+/gsu;

/** Encodes the text of a bytes literal in UTF-8. The engine keeps only the low byte of each UTF-16 unit. */
export function correctBytes(node: ASTNode, source: string): void {
  if (node.op !== 'value' || !isBytes(node.args)) return;
  const [, , text = ''] = BYTES_LITERAL.exec(source.slice(node.start, node.end)) ?? [];
  const parts = [...text.matchAll(BYTES_PART)].map(([part]) => bytesOf(part));
  Object.assign(node, { args: new Uint8Array(Buffer.concat(parts)) });
}

function isBytes(value: unknown): boolean {
  return value instanceof Uint8Array;
}

function bytesOf(part: string): Buffer {
  const [backslash, letter = ''] = part;
  if (backslash !== '\\') return Buffer.from(part);
  if (letter === 'x' || letter === 'X') return Buffer.of(Number.parseInt(part.slice(2), 16));
  if (/^[0-7]/.test(letter)) return Buffer.of(Number.parseInt(part.slice(1), 8));
  return Buffer.from(ESCAPES[letter] ?? letter);
}

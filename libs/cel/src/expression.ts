import type { JsonValue } from '@app/kernel';
import type { CelType } from './cel-types.js';

/** The values of the names in scope. Reading a name that has no value yet fails like reading a missing field. */
export type Scope = Readonly<Record<string, JsonValue>>;

/** A compiled CEL expression. Evaluation throws {@link ExpressionError} and nothing else. */
export interface Expression {
  readonly source: string;
  /** Name of the CEL type of every result, or `dyn`. */
  readonly type: string;
  evaluate(scope: Scope): JsonValue;
}

/** An expression that must return true or false. Any other result is an {@link ExpressionError}. */
export interface Condition {
  readonly source: string;
  evaluate(scope: Scope): boolean;
  /** Whether the condition reads the member at the path, such as `['email', 'bounce']`, or a member inside it. */
  mentions(path: readonly string[]): boolean;
  /** Returns the values in scope that the condition reads, for messages that explain its result. */
  readValues(scope: Scope): ReadValue[];
}

/** A value that an expression reads, for example `output.amount`. */
export interface ReadValue {
  readonly path: string;
  readonly value: JsonValue;
}

/**
 * A JSON value in which strings may contain `${{ CEL }}`. Evaluation throws {@link ExpressionError} and nothing else.
 */
export interface Template {
  readonly source: JsonValue;
  /** True if the value contains no expression. `evaluate` then returns the source. */
  readonly isConstant: boolean;
  readonly type: CelType;
  evaluate(scope: Scope): JsonValue;
}

export const EXPRESSION_ERROR_CODES = [
  'syntax',
  'unknown_name',
  'type',
  'missing_field',
  'out_of_bounds',
  'cost',
  'not_json',
  'failed',
] as const;
export type ExpressionErrorCode = (typeof EXPRESSION_ERROR_CODES)[number];

/**
 * Thrown for an expression that cannot be compiled or evaluated. `message` and `suggestion` are for the author of the
 * definition. They quote the expression, but never the data.
 */
export class ExpressionError extends Error {
  override readonly name = 'ExpressionError';

  constructor(
    readonly code: ExpressionErrorCode,
    message: string,
    readonly expression: string,
    readonly suggestion?: string,
    /** Offset of the wrong part in the expression, in UTF-16 units. */
    readonly offset: number = 0,
  ) {
    super(message);
  }
}

import type { JsonValue } from '@app/kernel';
import type { CelType } from './cel-types.js';

/** Reading a name that has no value yet fails like reading a missing field. */
export type Scope = Readonly<Record<string, JsonValue>>;

/** Evaluation throws {@link ExpressionError} and nothing else. */
export interface Expression {
  readonly source: string;
  readonly type: string;
  evaluate(scope: Scope): JsonValue;
}

/** An expression that must return true or false. Any other result is an {@link ExpressionError}. */
export interface Condition {
  readonly source: string;
  evaluate(scope: Scope): boolean;
  mentions(path: readonly string[]): boolean;
  /** Returns the values in scope that the condition reads, for messages that explain its result. */
  readValues(scope: Scope): ReadValue[];
}

export interface ReadValue {
  readonly path: string;
  readonly value: JsonValue;
}

/** Evaluation throws {@link ExpressionError} and nothing else. */
export interface Template {
  readonly source: JsonValue;
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

/** They quote the expression, but never the data. */
export class ExpressionError extends Error {
  override readonly name = 'ExpressionError';

  constructor(
    readonly code: ExpressionErrorCode,
    message: string,
    readonly expression: string,
    readonly suggestion?: string,
    readonly offset: number = 0,
  ) {
    super(message);
  }
}

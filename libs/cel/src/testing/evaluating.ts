import type { JsonValue } from '@app/kernel';
import { compileExpression } from '../cel-environment.js';
import { ExpressionError } from '../expression.js';

/** Evaluates an expression that may use `input` and `run`. */
export function evaluated(source: string, input: JsonValue = {}): JsonValue {
  const scope = { names: new Set(['input', 'run']) };
  return compileExpression(source, scope).evaluate({ input, run: { id: 'run_1' } });
}

export function failureOf(source: string, input: JsonValue = {}): ExpressionError {
  try {
    evaluated(source, input);
  } catch (error) {
    if (error instanceof ExpressionError) return error;
    throw error;
  }
  throw new Error(`${source} did not fail.`);
}

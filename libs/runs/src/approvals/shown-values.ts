import { type Expression, ExpressionError, withSharedBudget } from '@app/definition';
import type { JsonObject, JsonValue } from '@app/kernel';
import { type JudgedCall, valuesAbout } from '../interpreter/policy.js';
import type { RunContext } from '../interpreter/step-scope.js';

/** What approvers of a call see: the value of each expression by its source, null where it cannot be evaluated. */
export function shownAbout(call: JudgedCall, expressions: readonly Expression[], facts: RunContext): JsonObject {
  const values = valuesAbout(call, facts);
  return withSharedBudget(() =>
    Object.fromEntries(expressions.map((expression) => [expression.source, shown(expression, values)])),
  );
}

/** What cannot be shown must not keep a person from deciding. */
function shown(expression: Expression, values: JsonObject): JsonValue {
  try {
    return expression.evaluate(values);
  } catch (error) {
    if (!(error instanceof ExpressionError)) throw error;
    return null;
  }
}

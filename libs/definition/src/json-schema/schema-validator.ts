import type { ErrorPlace, JsonObject, JsonValue } from '@app/kernel';
import type { WorkBudget } from '../validation/work-budget.js';

/** A JSON Schema that is ready to use. It compiles on first use and then costs microseconds. */
export interface SchemaValidator {
  readonly schema: JsonObject;
  /**
   * Places in `value` that do not fit, with pointers into `value`; empty when it fits. Never changes `value`. The check takes
   * a bounded number of steps; `budget` bounds several checks together.
   */
  validate(value: JsonValue, budget?: WorkBudget): ErrorPlace[];
}

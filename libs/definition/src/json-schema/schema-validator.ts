import type { ErrorPlace, JsonObject, JsonValue } from '@app/kernel';
import { CompiledSchema } from '../validation/compiled-schema.js';
import { CheckLimitError, WorkBudget } from '../validation/work-budget.js';
import { schemaErrorMessages } from './schema-error-messages.js';

const MAX_REPORTED = 50;

/** A JSON Schema that is ready to check values. It compiles on first use. */
export interface SchemaValidator {
  readonly schema: JsonObject;
  /**
   * The places in `value` that do not fit the schema, with pointers into `value`; empty if it fits. Does not change
   * `value`. A check takes a bounded number of steps; `budget` bounds several checks together.
   */
  validate(value: JsonValue, budget?: WorkBudget): ErrorPlace[];
}

/**
 * Makes a validator for an untrusted schema. Every check ends within a bounded number of steps, for any schema and
 * value. The schema is compiled on first use, because a worker uses few of the schemas of a definition.
 */
export function schemaValidator(schema: JsonObject): SchemaValidator {
  let compiled: CompiledSchema | undefined;
  return {
    schema,
    validate: (value, budget = new WorkBudget()) => {
      try {
        compiled ??= new CompiledSchema(schema);
        const errors = compiled.errors(value, budget, MAX_REPORTED);
        return errors.length === 0 ? [] : toPlaces(errors, value);
      } catch (error) {
        return [{ pointer: '', ...limitMessage(error) }];
      }
    },
  };
}

function limitMessage(error: unknown): { detail: string; suggestion: string } {
  // Deeply nested values and schemas exhaust the stack before the budget.
  const isStack = error instanceof RangeError;
  if (!isStack && !(error instanceof CheckLimitError)) throw error;
  const reason = isStack ? 'it or its schema is nested too deeply' : error.message;
  return {
    detail: `This cannot be checked: ${reason}.`,
    suggestion: 'Use a smaller value, or a schema with fewer alternatives, patterns and references.',
  };
}

function toPlaces(errors: Parameters<typeof schemaErrorMessages>[0], value: JsonValue): ErrorPlace[] {
  return schemaErrorMessages(errors, value)
    .slice(0, MAX_REPORTED)
    .map(({ pointer, detail, suggestion }) => ({ pointer, detail, ...(suggestion ? { suggestion } : {}) }));
}

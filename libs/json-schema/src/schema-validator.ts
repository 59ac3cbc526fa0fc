import type { ErrorPlace, JsonObject, JsonValue } from '@app/kernel';
import { CompiledSchema } from './validation/compiled-schema.js';
import { CheckLimitError, WorkBudget } from './validation/work-budget.js';
import type { KnownFiles } from './validation/file-rule.js';
import { withDefaults } from './schema-defaults.js';
import { schemaErrorMessages } from './schema-error-messages.js';

const MAX_REPORTED = 50;

export interface SchemaValidator {
  readonly schema: JsonObject;
  /**
   * Does not change `value`. A check takes a limited number of steps. Pass the same `budget` to limit several checks
   * together. Where the schema has the keyword `file`, only `files` are valid; by default none.
   */
  validate(value: JsonValue, budget?: WorkBudget, files?: KnownFiles): ErrorPlace[];
  /** Does not change `value`. If the defaults cannot be applied, returns `value` and the reason. */
  complete<Value extends JsonValue>(
    value: Value,
    budget?: WorkBudget,
    files?: KnownFiles,
  ): { value: Value; errors: ErrorPlace[] };
}

/**
 * Creates a validator for an untrusted schema. Every check ends after a limited number of steps, for any schema and
 * value. The schema is compiled on first use, because a worker uses few of the schemas of a definition.
 */
export function schemaValidator(schema: JsonObject): SchemaValidator {
  let compiled: CompiledSchema | undefined;
  let hasDefaults: boolean | undefined;
  const validate: SchemaValidator['validate'] = (value, budget = new WorkBudget(), files) => {
    try {
      compiled ??= new CompiledSchema(schema);
      const errors = compiled.errors(value, budget, MAX_REPORTED, files);
      return errors.length === 0 ? [] : toPlaces(errors, value);
    } catch (error) {
      return [{ pointer: '', ...limitMessage(error) }];
    }
  };
  const complete: SchemaValidator['complete'] = (value, budget = new WorkBudget(), files) => {
    hasDefaults ??= JSON.stringify(schema).includes('"default"');
    try {
      // The cast is safe, because filling in defaults keeps the kind of a value: an object stays an object.
      const filled = hasDefaults ? (withDefaults(schema, value, budget) as typeof value) : value;
      return { value: filled, errors: validate(filled, budget, files) };
    } catch (error) {
      return { value, errors: [{ pointer: '', ...limitMessage(error) }] };
    }
  };
  return { schema, validate, complete };
}

function limitMessage(error: unknown): { detail: string; suggestion: string } {
  // Deeply nested values and schemas can overflow the stack before the work budget is used up.
  const isStack = error instanceof RangeError;
  if (!isStack && !(error instanceof CheckLimitError)) throw error;
  const reason = isStack ? 'the value or its schema is nested too deeply' : error.message;
  return {
    detail: `This value cannot be checked against its schema: ${reason}.`,
    suggestion: 'Use a smaller value, or a schema with fewer alternatives, patterns and references.',
  };
}

function toPlaces(errors: Parameters<typeof schemaErrorMessages>[0], value: JsonValue): ErrorPlace[] {
  return schemaErrorMessages(errors, value)
    .slice(0, MAX_REPORTED)
    .map(({ pointer, detail, suggestion }) => ({ pointer, detail, ...(suggestion ? { suggestion } : {}) }));
}

import type { JsonObject } from '@app/kernel';
import { cel, duration, flag, list, object, pattern, ref } from '../../json-schema/building-blocks.js';

/** Properties that every kind of step has. */
const base = {
  id: pattern('Unique name of the step. Later steps can read `steps.<id>.output`.', 'variable'),
  if: cel('Condition of the step. If it is false, the step is skipped.'),
  timeout: duration('Maximum time of the step and of the steps inside, without waiting.'),
  retry: ref('retry', 'Replaces the `retry` of the definition, also for the steps inside.'),
  continue_on_error: flag('If true, a failure of this step is recorded and the plan continues.', false),
};

/** Returns the schema of a kind of step: these properties, and those that every kind has. */
export function stepSchema(
  description: string,
  properties: Record<string, JsonObject>,
  required: readonly string[] = [],
): JsonObject {
  return object(description, { ...base, ...properties }, ['id', ...required]);
}

export function stepList(description: string): JsonObject {
  return list(description, ref('step'), 200, { minItems: 1 });
}

export const requestSchema: JsonObject = {
  type: 'object',
  description: 'Arguments of the call. Values may contain `${{ CEL }}`.',
};

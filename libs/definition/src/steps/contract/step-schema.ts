import type { JsonObject } from '@app/kernel';
import { cel, duration, flag, list, object, pattern, ref } from '../../json-schema/building-blocks.js';

/** Properties that every kind of step has. */
const base = {
  id: pattern('Unique name. Later steps can read `steps.<id>.output`.', 'variable'),
  if: cel('If this condition is false, the step is skipped.'),
  timeout: duration('Time limit of one attempt, of the wait, or of the steps inside.'),
  retry: ref('retry', 'Retry policy of the step and of steps inside it. Replaces that of the definition.'),
  continue_on_error: flag('If true, the plan continues after a failure; the output is then null.', false),
};

/** Returns the schema of a kind of step. It has the given properties, and those that every kind has. */
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

import type { JsonObject } from '@app/kernel';
import { cel, duration, flag, list, object, pattern, ref } from '../../json-schema/building-blocks.js';

/** Members that every kind of step has. */
const base = {
  id: pattern('Unique name: later steps read `steps.<id>.output`.', 'variable'),
  if: cel('False skips the step.'),
  timeout: duration(
    'How long the step may take; of `switch`, `for_each`, `parallel` and `agent` everything inside, waiting left out.',
  ),
  retry: ref('retry', 'Instead of the retry of the definition; of a block for every step inside.'),
  continue_on_error: flag('True: a failure of this step is recorded and the plan goes on.', false),
};

/** A kind of step with these members besides those that every kind has. */
export function stepSchema(
  description: string,
  properties: Record<string, JsonObject>,
  required: readonly string[] = [],
): JsonObject {
  return object(description, { ...base, ...properties }, ['id', ...required]);
}

/** The steps of a block. */
export function stepList(description: string): JsonObject {
  return list(description, ref('step'), 200, { minItems: 1 });
}

/** What a call or a model is given. */
export const requestSchema: JsonObject = {
  type: 'object',
  description: 'The request. Values may hold `${{ CEL }}`.',
};

import type { JsonObject } from '@app/kernel';
import { pattern } from '../../json-schema/building-blocks.js';

export const triggerId = pattern('Unique name of the trigger.', 'identifier');

/** How an event becomes the input of a run. */
export const map: JsonObject = {
  type: 'object',
  description: 'Makes the input of the run. Values may hold `${{ CEL }}`.',
};

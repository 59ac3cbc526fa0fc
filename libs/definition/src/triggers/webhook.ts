import { cel, object, text } from '../json-schema/building-blocks.js';
import { checkInputMembers, type TriggerDescriptor, map, triggerId } from './contract/trigger-descriptor.js';

/** Starts a run for each call of the webhook. */
export const webhookTrigger: TriggerDescriptor<'webhook'> = {
  schema: object(
    'Starts a run for each call of the webhook.',
    {
      id: triggerId,
      type: text('webhook'),
      filter: cel('Condition on `body`. If it is false, the call starts no run.'),
      map,
    },
    ['id', 'type'],
  ),
  compile: (node, context) => ({
    id: node.text('id'),
    kind: 'webhook',
    filter: context.optionalCondition(node, 'filter', 'webhookTrigger'),
    map: context.optionalTemplate(node, 'map', 'webhookTrigger'),
  }),
  check: (node, input) => checkInputMembers(node, 'map', input),
};

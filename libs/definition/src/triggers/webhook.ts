import { cel, object, text } from '../contract/building-blocks.js';
import { checkInputMembers, type TriggerDescriptor, map, triggerId } from '../contract/trigger-descriptor.js';
import { authSchema, compileAuth } from './webhook-auth.js';
import { checkResponse, compileResponse, respondSchema } from './webhook-response.js';

export const webhookTrigger: TriggerDescriptor<'webhook'> = {
  schema: object(
    'Starts a run for each call of the webhook.',
    {
      id: triggerId,
      type: text('webhook'),
      auth: authSchema,
      filter: cel('Condition on `body`. If it is false, the call starts no run.'),
      map,
      respond: respondSchema,
    },
    ['id', 'type'],
  ),
  compile: (node, context) => ({
    id: node.text('id'),
    kind: 'webhook',
    auth: compileAuth(node.optionalChild('auth'), context),
    filter: context.optionalCondition(node, 'filter', 'webhookTrigger'),
    map: context.optionalTemplate(node, 'map', 'webhookTrigger'),
    respond: compileResponse(node.optionalChild('respond'), context),
  }),
  check(node, input) {
    checkInputMembers(node, 'map', input);
    const respond = node.optionalChild('respond');
    if (respond) checkResponse(respond, input.problems);
  },
};

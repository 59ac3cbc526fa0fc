import type { JsonObject } from '@app/kernel';
import { byValue } from '../contract/building-blocks.js';
import { TRIGGER_TYPES, type TriggerType } from '../model/compiled-definition.js';
import type { TriggerDescriptor } from '../contract/trigger-descriptor.js';
import { emailTrigger } from './email.js';
import { pollTrigger } from './poll.js';
import { scheduleTrigger } from './schedule.js';
import { webhookTrigger } from './webhook.js';

type TriggerDescriptors = { readonly [Type in TriggerType]: TriggerDescriptor<Type> };

export const TRIGGERS: TriggerDescriptors = {
  'email.received': emailTrigger,
  webhook: webhookTrigger,
  schedule: scheduleTrigger,
  poll: pollTrigger,
};

/** The schema `#/$defs/trigger`. */
export const triggerSchema: JsonObject = byValue(
  'type',
  Object.fromEntries(TRIGGER_TYPES.map((type) => [type, TRIGGERS[type].schema])),
);

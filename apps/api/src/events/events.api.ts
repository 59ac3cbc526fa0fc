import { ApiSchema } from '@nestjs/swagger';
import { EVENT_TYPES, type EventType } from '@app/events';
import type { JsonObject } from '@app/kernel';
import { AgentId, AnyObject, Id, OneOf, TimeParameter, Timestamp } from '../http/fields.js';
import { anyOrder, PageQuery } from '../http/list-pages.service.js';

const PROMOTED = {
  agent: 'agt_01kahzvk3te9d8q6f0f1v3m2sx',
  production_version: 4,
  previous_version: 3,
  promoted_by: 'ada@example.com',
};

export class ListEventsQuery extends PageQuery {
  @OneOf(EVENT_TYPES, {
    optional: true,
    list: true,
    description: 'Types of events to list. Repeat the parameter or separate types with commas.',
  })
  type?: EventType[];
  @AgentId({
    optional: true,
    description: 'Id of the agent that the events are about.',
    example: 'agt_01kahzvk3te9d8q6f0f1v3m2sx',
  })
  agent?: string;
  @TimeParameter({ optional: true, description: 'Start of the period, inclusive.' }) since?: Date;
  @TimeParameter({ optional: true, description: 'End of the period, exclusive.' }) until?: Date;
}

@ApiSchema({
  name: 'Event',
  description: 'Something that happened in the workspace; also the body of webhook messages.',
})
export class EventResource {
  @Id('event', { description: 'Event id; `webhook-id` of its messages.' }) id: string;
  @OneOf(EVENT_TYPES, { description: 'Type of the event.', example: 'agent.promoted' }) type: EventType;
  @Timestamp({ description: 'Time of the event.' }) timestamp: string;
  @Id('workspace') workspace: string;
  @AnyObject({ description: 'Data, which depends on the type: see `webhooks` in this document.', example: PROMOTED })
  data: object;
}

export function eventFilters({ type, agent, since, until }: ListEventsQuery): JsonObject {
  return {
    type: anyOrder(type),
    agent: agent ?? null,
    since: since?.toISOString() ?? null,
    until: until?.toISOString() ?? null,
  };
}

import { ApiSchema } from '@nestjs/swagger';
import { EVENT_TYPES, type EventType, type RecordedEvent } from '@app/events';
import type { JsonObject } from '@app/kernel';
import { AgentId, AnyObject, OneOf, Text, TimeParameter, Timestamp } from '../http/fields.js';
import { anyOrder, PageQuery } from '../http/list-pages.js';

export class ListEventsQuery extends PageQuery {
  @OneOf(EVENT_TYPES, { optional: true, list: true, description: 'Any of these; repeated or separated by commas.' })
  type?: EventType[];
  @AgentId({ optional: true, description: 'Only events about this agent.', example: 'agt_01kahzvk3te9d8q6f0f1v3m2sx' })
  agent?: string;
  @TimeParameter({ optional: true, description: 'At this time or later.' }) since?: Date;
  @TimeParameter({ optional: true, description: 'Before this time.' }) until?: Date;
}

/** What a message says, and what `GET /v1/events` lists. */
@ApiSchema({ name: 'Event' })
export class EventResource {
  @Text({ example: 'evt_01kahzvk3te9d8q6f0f1v3m2sx', description: 'The `webhook-id` of its messages.' }) id: string;
  @OneOf(EVENT_TYPES) type: EventType;
  @Timestamp() timestamp: string;
  @Text({ example: 'wsp_01kahzvk3te9d8q6f0f1v3m2sx' }) workspace: string;
  @AnyObject({ description: 'Depends on the type: see `webhooks` in this description.' }) data: JsonObject;
}

export function presentEvent({ id, type, createdAt, workspaceId, data }: RecordedEvent): EventResource {
  return { id, type, timestamp: createdAt.toISOString(), workspace: workspaceId, data };
}

/** The filters of the query, for its cursors. */
export function eventFilters({ type, agent, since, until }: ListEventsQuery): JsonObject {
  return {
    type: anyOrder(type),
    agent: agent ?? null,
    since: since?.toISOString() ?? null,
    until: until?.toISOString() ?? null,
  };
}

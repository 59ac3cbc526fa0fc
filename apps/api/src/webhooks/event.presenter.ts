import type { EventLog, RecordedEvent } from '@app/events';
import type { ListSource } from '../http/list-pages.js';
import type { EventResource, ListEventsQuery } from './event.dto.js';

function presentEvent({ id, type, createdAt, workspaceId, data }: RecordedEvent): EventResource {
  return { id, type, timestamp: createdAt.toISOString(), workspace: workspaceId, data };
}

/** The list of events that the query asks for. */
export function eventList(
  log: EventLog,
  workspaceId: string,
  { type: types, agent: agentId, since, until }: ListEventsQuery,
): ListSource<RecordedEvent, EventResource> {
  return {
    list: 'events',
    workspaceId,
    filters: {
      type: types ? [...new Set(types)].sort() : null,
      agent: agentId ?? null,
      since: since?.toISOString() ?? null,
      until: until?.toISOString() ?? null,
    },
    read: (page) => log.list(workspaceId, { types, agentId, since, until }, page),
    present: presentEvent,
  };
}

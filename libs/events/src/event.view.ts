import type { RecordedEvent } from './recorded-event.js';

/** The JSON of an event, in messages and in lists. */
export function presentEvent({ id, type, createdAt, workspaceId, data }: RecordedEvent) {
  return { id, type, timestamp: createdAt.toISOString(), workspace: workspaceId, data };
}

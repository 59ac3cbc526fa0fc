import type { RecordedEvent } from './recorded-event.js';

/** An event on the wire, in messages and in lists. */
export function presentEvent({ id, type, createdAt, workspaceId, data }: RecordedEvent) {
  return { id, type, timestamp: createdAt.toISOString(), workspace: workspaceId, data };
}

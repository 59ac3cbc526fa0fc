import type { RecordedEvent } from './recorded-event.js';

export function presentEvent({ id, type, createdAt, workspaceId, data }: RecordedEvent) {
  return { id, type, timestamp: createdAt.toISOString(), workspace: workspaceId, data };
}

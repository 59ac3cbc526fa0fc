import type { EventType } from './event-types.js';

export interface RecordedEvent {
  id: string;
  type: EventType;
  workspaceId: string;
  createdAt: Date;
  data: object;
}

export interface EventFilter {
  types?: readonly EventType[] | undefined;
  agentId?: string | undefined;
  /** Time from which the events were recorded, inclusive. */
  since?: Date | undefined;
  /** Time before which the events were recorded, exclusive. */
  until?: Date | undefined;
}

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
  /** Inclusive. */
  since?: Date | undefined;
  /** Exclusive. */
  until?: Date | undefined;
}

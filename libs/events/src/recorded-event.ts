import type { EventType } from './event-types.js';

/** Something that has happened. */
export interface RecordedEvent {
  id: string;
  type: EventType;
  workspaceId: string;
  createdAt: Date;
  /** As subscribers see it. */
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

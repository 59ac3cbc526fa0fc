import type { JsonObject } from '@app/kernel';
import type { EventType } from './event-types.js';

/** Something that has happened, as its subscribers are told. */
export interface RecordedEvent {
  id: string;
  type: EventType;
  workspaceId: string;
  createdAt: Date;
  data: JsonObject;
}

export interface EventFilter {
  types?: readonly EventType[] | undefined;
  agentId?: string | undefined;
  /** Inclusive. */
  since?: Date | undefined;
  /** Exclusive. */
  until?: Date | undefined;
}

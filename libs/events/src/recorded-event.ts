import type { JsonObject } from '@app/kernel';

/**
 * The types of events.
 * - `run.completed`: a run has ended, with any status. Emitted once for each run.
 * - `webhook.test`: sent only to the endpoint that it was requested for, even if the endpoint has not subscribed to it.
 * - `webhook.failing`: the service disabled an endpoint because its deliveries failed.
 */
export const EVENT_TYPES = [
  'run.completed',
  'run.approval_requested',
  'run.handed_off',
  'approval.decided',
  'approval.expired',
  'agent.promoted',
  'evaluation.completed',
  'source.sync_completed',
  'source.sync_failed',
  'workspace.stopped',
  'workspace.resumed',
  'webhook.test',
  'webhook.failing',
] as const;
export type EventType = (typeof EVENT_TYPES)[number];

export interface RecordedEvent {
  id: string;
  type: EventType;
  workspaceId: string;
  createdAt: Date;
  data: object;
}

export type StoredMessage = Omit<RecordedEvent, 'data'> & { snapshot: JsonObject | null };

export interface EventFilter {
  types?: readonly EventType[] | undefined;
  agentId?: string | undefined;
  agents?: readonly string[] | null;
  since?: Date | undefined;
  until?: Date | undefined;
}

/**
 * The snapshot (SQL `events.event_snapshot`) contains the rows as of the commit that caused the event. The rows may
 * have changed or been purged since.
 */
export abstract class EventViews {
  abstract dataOf(type: EventType, snapshot: JsonObject): object;
}

export function presentEvent({ id, type, createdAt, workspaceId, data }: RecordedEvent): {
  id: string;
  type: EventType;
  timestamp: string;
  workspace: string;
  data: object;
} {
  return { id, type, timestamp: createdAt.toISOString(), workspace: workspaceId, data };
}

/** The body of a message is the same in each attempt. */
export function messageBody(views: EventViews, { snapshot, ...event }: StoredMessage): string {
  return JSON.stringify(presentEvent({ ...event, data: views.dataOf(event.type, snapshot ?? {}) }));
}

export function messageHeaders(eventId: string): Record<string, string> {
  return { 'content-type': 'application/json', 'webhook-id': eventId };
}

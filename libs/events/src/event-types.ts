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

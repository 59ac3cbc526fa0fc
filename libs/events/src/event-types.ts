/**
 * The events of the API contract, section 11.
 * - `run.completed`: a run has ended, in whatever status; once for each run.
 * - `webhook.test`: goes to the endpoint that it was requested for, whatever the endpoint has subscribed to.
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

/**
 * Every event that the service tells about (contract, section 11). `run.completed`: every terminal status, once for
 * each run. `webhook.test` goes to the endpoint that it was asked for, whatever that has subscribed to;
 * `webhook.failing` says that an endpoint was disabled because it did not take its deliveries.
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

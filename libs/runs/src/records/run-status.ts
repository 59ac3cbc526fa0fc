/**
 * The life of a run. Every change is a compare-and-set in Postgres (sql/), terminal statuses never change.
 *
 *   queued ──claim──▶ running ──finish──▶ succeeded | failed | handed_off
 *    ▲ ▲ │              │ │
 *    │ │ └─expire─▶ failed │
 *    │ └────requeue─────┘  │
 *    │                  advance (a person has to agree)
 *    │                     ▼
 *    └──decide, expire── waiting_approval ──decide, expire──▶ failed | handed_off
 *
 * Whatever has not ended can be cancelled.
 */
export const RUN_STATUSES = [
  'queued',
  'running',
  'waiting_approval',
  'succeeded',
  'handed_off',
  'failed',
  'cancelled',
] as const;

export type RunStatus = (typeof RUN_STATUSES)[number];

/** Which statuses each status may turn into, and the SQL operation that does it. */
const RUN_TRANSITIONS = {
  queued: { running: 'claim', failed: 'expire_queued', cancelled: 'cancel' },
  running: {
    queued: 'requeue',
    waiting_approval: 'advance',
    succeeded: 'finish',
    handed_off: 'finish',
    failed: 'finish',
    cancelled: 'cancel',
  },
  waiting_approval: { queued: 'decide', failed: 'decide', handed_off: 'decide', cancelled: 'cancel' },
  succeeded: {},
  handed_off: {},
  failed: {},
  cancelled: {},
} as const satisfies Record<RunStatus, Partial<Record<RunStatus, string>>>;

/** What a run can wait for. callback: a call of an address that the run has published. */
export const WAIT_REASONS = ['worker', 'time', 'approval', 'retry', 'child', 'callback'] as const;
export type WaitReason = (typeof WAIT_REASONS)[number];

/** What a run waits for, and until when. `until` is RFC 3339; it is absent for `worker` and `child`. */
export interface RunWaiting {
  for: WaitReason;
  until?: string;
}

/** Whether the run has ended and no longer changes. */
export function hasEnded(status: RunStatus): boolean {
  return Object.keys(RUN_TRANSITIONS[status]).length === 0;
}

/** Whether the run did what it was to do. */
export function isSuccess(status: RunStatus): boolean {
  return status === 'succeeded';
}

export const RUN_MODES = ['production', 'test'] as const;
export type RunMode = (typeof RUN_MODES)[number];

/** What can start a run. */
export const TRIGGER_TYPES = ['api', 'webhook', 'email.received', 'schedule', 'evaluation', 'replay', 'agent'] as const;
export type TriggerType = (typeof TRIGGER_TYPES)[number];

/**
 * The statuses of a run and their changes. Every change is a compare-and-set in Postgres (sql/). Terminal statuses
 * never change.
 *
 *   queued ──claim──▶ running ──finish──▶ succeeded | failed | handed_off
 *    ▲ ▲ │              │ │
 *    │ │ └─expire─▶ failed │
 *    │ └────requeue─────┘  │
 *    │                  advance (a person has to agree)
 *    │                     ▼
 *    └──decide, expire── waiting_approval ──decide, expire──▶ failed | handed_off
 *
 * Every run that has not ended can be cancelled.
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

/** `callback`: another system must call a callback URL that the run has sent. */
export const WAIT_REASONS = ['worker', 'time', 'approval', 'retry', 'child', 'callback'] as const;
export type WaitReason = (typeof WAIT_REASONS)[number];

/** `for` is the reason why the child run itself waits, or null. */
export interface AwaitedRun {
  id: string;
  agent_name: string;
  status: RunStatus;
  for: WaitReason | null;
}

/** Waits for `worker` and `child` have no end time. */
export interface RunWaiting {
  for: WaitReason;
  until?: string;
  runs?: AwaitedRun[];
}

export function hasEnded(status: RunStatus): boolean {
  return Object.keys(RUN_TRANSITIONS[status]).length === 0;
}

export function isSuccess(status: RunStatus): boolean {
  return status === 'succeeded';
}

export function isHandedOff(status: RunStatus): boolean {
  return status === 'handed_off';
}

export function isCancelled(status: RunStatus): boolean {
  return status === 'cancelled';
}

export function waitsForPeople(status: RunStatus): boolean {
  return status === 'waiting_approval';
}

export const RUN_MODES = ['production', 'test'] as const;
export type RunMode = (typeof RUN_MODES)[number];

export const TRIGGER_TYPES = [
  'api',
  'webhook',
  'email.received',
  'schedule',
  'poll',
  'evaluation',
  'replay',
  'agent',
  'mcp',
] as const;
export type TriggerType = (typeof TRIGGER_TYPES)[number];

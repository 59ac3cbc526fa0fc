import type { ApprovalRule, OperationEffect, OperationScope, QuestionTimeout } from '@app/definition';
import type { FileReference } from '@app/files';
import type { JsonObject, JsonValue } from '@app/kernel';
import type { RunOutcome } from '../interpreter/plan.js';
import type { ApprovalKind } from './approval-status.js';
import type { Acceptance } from './accepted-run.js';
import type { CallError } from '../interpreter/run-error.js';
import type { MockedCalls } from './evaluated-case.js';
import type { FirstStep } from './first-step.js';
import type { RecordedCalls } from './recorded-calls.js';
import type { RunMode } from './run-status.js';
import type { StepState, StepType } from './run-step.entity.js';

export interface ClaimedRun {
  id: string;
  workspaceId: string;
  agentId: string;
  version: number;
  mode: RunMode;
  trigger: JsonObject;
  input: JsonObject;
  labels: JsonObject;
  initiator: string | null;
  /** The fencing token. Writes of earlier attempts have no effect. */
  attempt: number;
  activeMs: number;
  createdAt: Date;
  steps: RecordedStep[];
  /** Set if this run is a replay with recorded results. */
  recordedCalls?: RecordedCalls | undefined;
  mocks?: MockedCalls | undefined;
}

export interface RecordedStep {
  n: number;
  path: string;
  try: number;
  type: StepType;
  tool?: string | null;
  state: StepState;
  request: JsonObject | null;
  output: JsonValue;
  error: CallError | null;
  /** For a note of the type `error`, the failure. For a model turn, what the provider rejected. */
  detail?: JsonObject | null;
  /** Zero if they were not kept. */
  opaque?: { origin: string; bytes: number } | null;
  /** For a call that a replay copied, the detail of the replayed call. */
  copied?: JsonObject | null;
  due: boolean | null;
  callback?: boolean | null;
  /** For a model turn, the cost in millionths of the run's currency. */
  cost?: number | null;
  waited?: [number, number] | null;
}

/**
 * `ready`: the call was not started or has no result yet, and must be made again. `interrupted`: the call was aborted
 * and may be repeated.
 */
export interface StepResult {
  n: number;
  state: Extract<StepState, 'succeeded' | 'failed' | 'in_doubt' | 'cancelled' | 'ready' | 'interrupted' | 'simulated'>;
  output?: JsonValue;
  error?: CallError;
  detail?: JsonObject;
  cost?: TurnCost;
  opaque?: OpaqueTurn;
  messages?: TurnMessages;
}

/** What a model turn sent. `prompt` is absent if the turn `promptN` of the run has the same one. */
export interface TurnMessages {
  promptN: number;
  prompt?: JsonValue;
  added: JsonValue;
}

/**
 * What only the provider of a turn can read. `origin` identifies the profile, the model and the key that made it.
 * `sealed` is encrypted, in base64. It is absent if it was not kept.
 */
export interface OpaqueTurn {
  origin: string;
  sealed?: string;
}

export interface TurnCost {
  provider: string;
  model: string;
  input: number;
  output: number;
  cacheRead: number;
  cacheWrite: number;
  reasoning: number;
  /** The known part of the cost, in millionths of `currency`. */
  micros: number;
  /** Null if the model has no price. */
  currency: string | null;
  /** True if a part of the cost is unknown, because the price or the number of tokens is unknown. */
  partial: boolean;
}

export interface StepNote {
  path: string;
  type: StepType;
  state: Extract<StepState, 'succeeded' | 'failed' | 'simulated' | 'denied' | 'cancelled'>;
  tool?: string;
  scope?: OperationScope;
  effect?: OperationEffect;
  request?: JsonObject;
  output?: JsonValue;
  error?: CallError;
  detail?: JsonObject;
}

/** Only a question can have the value `continue`. */
export type GateTimeout = ApprovalRule['onTimeout'] | QuestionTimeout;

export interface Gate {
  kind: ApprovalKind;
  policy: string;
  reason: string;
  rule: Omit<ApprovalRule, 'onTimeout'> & { readonly onTimeout: GateTimeout };
  question?: { title: string | null; form: JsonObject };
  onReject: 'continue' | 'fail' | 'hand_off';
  handOffTo: readonly string[];
  /** A rejection then does not end the run immediately. */
  failureIsHandled: boolean;
  show: JsonObject;
}

/**
 * If `resumes` is set, it is the position of a recorded step without a result, and the intent resumes that step. If
 * `gate` is set, the step waits for a person first.
 */
export type StepIntent =
  | {
      type: 'tool_call';
      path: string;
      try?: number;
      tool: string;
      scope: OperationScope;
      effect: OperationEffect;
      request: JsonObject;
      resumes?: number;
      gate?: Gate;
    }
  | {
      type: 'model_call';
      path: string;
      try?: number;
      effect: OperationEffect;
      request: JsonObject;
      resumes?: number;
      gate?: undefined;
    }
  | { type: 'approval'; path: string; gate: Gate }
  | { type: 'wait'; path: string; dueInMs?: number; dueAt?: string; callback?: true };

/** If `state` is `started`, the worker must send `request` now. */
export interface IntendedStep {
  n: number;
  path: string;
  try: number;
  state: StepState;
  request: JsonObject;
  output: JsonValue;
  error: CallError | null;
}

export interface QueueRules {
  queueTtlMs: number | null;
  /** Time in milliseconds by which the run moves forward in the queue (see FairShares). Default: 0. */
  headStartMs?: number;
  /** The agent is archived and accepts no other run. */
  isDraft?: true;
  concurrency: { max: number | null; key: string | null; maxPerKey: number | null; rejectConflict: boolean } | null;
}

export interface Creation extends Omit<Acceptance, 'createdAt'> {
  /** If false, the run is created only if this is still the production version. */
  pinned: boolean;
  idempotency: { endpoint: string; key: string; fingerprint: Buffer } | null;
  rules: QueueRules;
  replay?: Replay;
  /** The files to which the input refers. */
  files?: readonly FileReference[] | undefined;
}

/**
 * The results that were recorded before the step `first` are copied, except earlier results of this step. If `first` is
 * null, no results are copied.
 */
export interface Replay {
  of: string;
  first: FirstStep | null;
}

export type CreationVerdict =
  | { verdict: 'created' | 'replayed'; runId: string; createdAt: Date }
  | { verdict: 'version_changed'; version: number }
  | { verdict: 'key_reused' | 'stopped' | 'not_found' | 'archived' | 'version_unknown' | 'conflict' };

export type AdvanceVerdict =
  { verdict: 'ok'; epoch: string; steps: IntendedStep[] } | { verdict: 'paused' | 'stopped' | 'cancelled' | 'fenced' };

/** The end of a run, with its last records. */
export interface Finish {
  results: readonly StepResult[];
  notes: readonly StepNote[];
  files?: readonly FileReference[] | undefined;
  outcome: RunOutcome;
}

export interface Advance {
  results: readonly StepResult[];
  notes: readonly StepNote[];
  intents: readonly StepIntent[];
  files?: readonly FileReference[] | undefined;
  /** The run is due again after at most this number of milliseconds. */
  pauseMs?: number | undefined;
}

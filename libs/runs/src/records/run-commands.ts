import type { ApprovalRule, OperationEffect, OperationScope, QuestionTimeout } from '@app/definition';
import type { JsonObject, JsonValue } from '@app/kernel';
import type { ApprovalKind } from './approval-status.js';
import type { Acceptance } from './accepted-run.js';
import type { CallError } from '../interpreter/run-error.js';
import type { MockedCalls } from './evaluated-case.js';
import type { RecordedCalls } from './recorded-calls.js';
import type { RunMode } from './run-status.js';
import type { StepState, StepType } from './run-step.entity.js';

/** A run that this worker owns, with the steps recorded by earlier attempts. */
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
  /** The fencing token. Writes of an older attempt have no effect. */
  attempt: number;
  /** Total running time of earlier attempts in milliseconds. */
  activeMs: number;
  createdAt: Date;
  steps: RecordedStep[];
  /** The calls of the replayed run. Set for a replay with recorded results. */
  recordedCalls?: RecordedCalls | undefined;
  /** The responses to calls that the case defines. Set for a run of an evaluation. */
  mocks?: MockedCalls | undefined;
}

export interface RecordedStep {
  n: number;
  path: string;
  try: number;
  type: StepType;
  /** Full name of the operation, for calls. */
  tool?: string | null;
  state: StepState;
  request: JsonObject | null;
  output: JsonValue;
  error: CallError | null;
  /** For a note of type `error`: the failure. */
  detail?: JsonObject | null;
  /** For a waiting step, true if it is due. */
  due: boolean | null;
  /** For a waiting step, whether it waits for a callback. */
  callback?: boolean | null;
  /** For a turn of a model, its cost in millionths of the run's currency. */
  cost?: number | null;
  /**
   * Start and end of a wait for a time or for people, in milliseconds since 1970. While the step waits, the end is the
   * current time.
   */
  waited?: [number, number] | null;
}

/**
 * The result of a call or a wait. `ready`: the call did not start or has no result yet, so the step waits for the call
 * to start again. `interrupted`: the call was aborted and may be repeated.
 */
export interface StepResult {
  n: number;
  state: Extract<StepState, 'succeeded' | 'failed' | 'in_doubt' | 'cancelled' | 'ready' | 'interrupted' | 'simulated'>;
  output?: JsonValue;
  error?: CallError;
  detail?: JsonObject;
  cost?: TurnCost;
}

export interface TurnCost {
  provider: string;
  model: string;
  /** Number of input tokens. */
  input: number;
  output: number;
  /** The known part of the cost, in millionths of the currency. */
  micros: number;
  /** ISO 4217 code. Null if the model has no price. */
  currency: string | null;
  /** True if a part of the cost is unknown, because the price or the usage is unknown. */
  partial: boolean;
}

/** A step of the trace for which nothing was sent. */
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

/** What happens if an approval expires. Only a question may continue. */
export type GateTimeout = ApprovalRule['onTimeout'] | QuestionTimeout;

/** The approval that a step needs before it continues. */
export interface Gate {
  kind: ApprovalKind;
  /** Name of the policy or of the approval rule. */
  policy: string;
  /** The expression that requires the approval, as text for approvers. */
  reason: string;
  rule: Omit<ApprovalRule, 'onTimeout'> & { readonly onTimeout: GateTimeout };
  question?: { title: string | null; form: JsonObject };
  onReject: 'continue' | 'fail' | 'hand_off';
  handOffTo: readonly string[];
  /**
   * True if the plan handles failures (`on_failure` or `continue_on_error`), so a rejection does not end the run at
   * once.
   */
  failureIsHandled: boolean;
  show: JsonObject;
}

/**
 * The next step of the run: a call, a step that only waits for a person, or a wait. `resumes` is the position of a
 * recorded step without a result, which is resumed. With a `gate`, the step waits for a person first.
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

/** The step that was recorded for an intent. If `state` is `started`, the call has begun and `request` must be sent. */
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
  /** Milliseconds by which the run is preferred in the queue (FairShares). Default: 0. */
  headStartMs?: number;
  /** Set if the agent was created for a draft run. Such an agent is archived and accepts no other run. */
  isDraft?: true;
  concurrency: { max: number | null; key: string | null; maxPerKey: number | null; rejectConflict: boolean } | null;
}

export interface Creation extends Omit<Acceptance, 'createdAt'> {
  /** True if the caller requested this version. Otherwise, the version must still be the production version. */
  pinned: boolean;
  idempotency: { endpoint: string; key: string; fingerprint: Buffer } | null;
  rules: QueueRules;
  replay?: Replay;
}

/**
 * The run that a new run repeats, and the position before which recorded results are copied. If the position is null,
 * no results are copied.
 */
export interface Replay {
  of: string;
  before: number | null;
}

export type CreationVerdict =
  | { verdict: 'created' | 'replayed'; runId: string; createdAt: Date }
  | { verdict: 'version_changed'; version: number }
  | { verdict: 'key_reused' | 'stopped' | 'not_found' | 'archived' | 'version_unknown' | 'conflict' };

export type AdvanceVerdict =
  { verdict: 'ok'; epoch: string; steps: IntendedStep[] } | { verdict: 'paused' | 'stopped' | 'cancelled' | 'fenced' };

export interface Advance {
  results: readonly StepResult[];
  notes: readonly StepNote[];
  intents: readonly StepIntent[];
  /** If set, the worker releases the run. The run is due again after at most this time, in milliseconds. */
  pauseMs?: number | undefined;
}

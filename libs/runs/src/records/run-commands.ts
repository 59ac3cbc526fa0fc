import type { ApprovalRule, OperationEffect, OperationScope } from '@app/definition';
import type { JsonObject, JsonValue } from '@app/kernel';
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
  /** The fencing token: writes of an older attempt change nothing. */
  attempt: number;
  /** Milliseconds that earlier attempts were running. */
  activeMs: number;
  createdAt: Date;
  steps: RecordedStep[];
  /** Of a replay with recorded results: the calls of the run that it repeats. */
  recordedCalls?: RecordedCalls | undefined;
  /** Of a run of an evaluation: the answers that its case has for calls. */
  mocks?: MockedCalls | undefined;
}

export interface RecordedStep {
  n: number;
  path: string;
  try: number;
  type: StepType;
  /** Full name of the operation, of a call. */
  tool?: string | null;
  state: StepState;
  request: JsonObject | null;
  output: JsonValue;
  error: CallError | null;
  /** Of a waiting step: whether its time has come. */
  due: boolean | null;
  /** Of a turn of a model: what it cost this run, in millionths of its currency. */
  cost?: number | null;
  /**
   * Start and end of a wait for a time or for people, in milliseconds since 1970; the end is the present while the
   * step waits.
   */
  waited?: [number, number] | null;
}

/**
 * The result of a call or a wait. ready: nothing was sent and the call is taken back. interrupted: the call was
 * aborted and may be repeated.
 */
export interface StepResult {
  n: number;
  state: Extract<StepState, 'succeeded' | 'failed' | 'in_doubt' | 'cancelled' | 'ready' | 'interrupted' | 'simulated'>;
  output?: JsonValue;
  error?: CallError;
  detail?: JsonObject;
  cost?: TurnCost;
}

/** Usage and cost of one turn of a model. */
export interface TurnCost {
  provider: string;
  model: string;
  /** Tokens. */
  input: number;
  output: number;
  /** Millionths of the currency, as far as the cost is known. */
  micros: number;
  /** ISO 4217; null where the model has no price. */
  currency: string | null;
  /** Part of the cost is not known: the price or the usage. */
  partial: boolean;
}

/** A step for the trace that sent nothing. */
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

/** Who has to approve before a step continues, and what happens without a decision. */
export interface Gate {
  kind: 'tool_call' | 'step' | 'in_doubt';
  /** Name of the policy or of the approval rule. */
  policy: string;
  /** The expression that asked for the approval, for people. */
  reason: string;
  rule: ApprovalRule;
  onReject: 'continue' | 'fail' | 'hand_off';
  /** Whom a hand-off addresses. */
  handOffTo: readonly string[];
  /**
   * The definition has steps for a failure, or steps that may fail: the plan handles the failure, and the run does not
   * end at once.
   */
  failureIsHandled: boolean;
  show: JsonObject;
}

/**
 * The next step of the run: a call, a step that only waits for a person, or a wait. `resumes` is the position of a
 * recorded step without a result that is resumed; `gate` makes it wait for a person first.
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
  | { type: 'wait'; path: string; dueInMs?: number; dueAt?: string };

/** A step that an intent led to: a call has begun if it is `started`, and `request` is what must be sent. */
export interface IntendedStep {
  n: number;
  path: string;
  try: number;
  state: StepState;
  request: JsonObject;
  output: JsonValue;
  error: CallError | null;
}

/** What the definition asks of the queue. */
export interface QueueRules {
  queueTtlMs: number | null;
  /** Milliseconds by which it goes before a run that is due now (fair-shares.ts). Default 0. */
  headStartMs?: number;
  /** The agent is that of a draft run, which is archived and accepts no other run. */
  isDraft?: true;
  concurrency: { max: number | null; key: string | null; maxPerKey: number | null; rejectConflict: boolean } | null;
}

export interface Creation extends Omit<Acceptance, 'createdAt'> {
  /** Whether the caller asked for this very version; otherwise it must still be the production version. */
  pinned: boolean;
  idempotency: { endpoint: string; key: string; fingerprint: Buffer } | null;
  rules: QueueRules;
  replay?: Replay;
}

/** The run that a new run repeats, and the position before which recorded results are copied; null: none are copied. */
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
  /** The run has nothing else to do for this time and leaves the worker. */
  pauseMs?: number | undefined;
}

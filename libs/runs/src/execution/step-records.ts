import type { OperationEffect } from '@app/definition';
import type { AbortReason } from './active-runs.service.js';
import { type Ask, type Call, type Outbound, stepOf } from '../interpreter/plan.js';
import { isRefusal } from '../interpreter/retries.js';
import type { CallError } from '../interpreter/run-error.js';
import type { ToolCallFailure } from '../calls/tool-call.js';
import type { TurnResult } from '../models/turn-call.js';
import type { AttemptState } from '../records/attempt-state.js';
import type { IntendedStep, StepIntent, StepNote, StepResult } from '../records/run-commands.js';

export function isOutbound(ask: Ask): ask is Outbound {
  return ask.kind === 'call' || ask.kind === 'model_call';
}

export function isWrite(call: Outbound): call is Call {
  return call.kind === 'call' && call.operation.scope === 'write';
}

/** Returns the effect of the call. A model turn counts as a read, because repeating it only causes cost. */
function effectOf(call: Outbound): OperationEffect {
  return call.kind === 'call' ? call.operation.effect : 'read';
}

export function stepIntent(outbound: Outbound, memory: AttemptState): StepIntent {
  if (outbound.kind === 'call') return callIntent(outbound, memory);
  const { path, try: attempt, model } = outbound;
  const request = { provider: model.provider, model: model.name };
  const resumes = memory.openStep(path)?.n;
  return { path, try: attempt, type: 'model_call', effect: effectOf(outbound), request, resumes };
}

/** If the trace contains an unfinished step of this call, the intent resumes that step with its recorded request. */
export function callIntent(call: Call, memory: AttemptState): StepIntent & { type: 'tool_call' } {
  const { fullName: tool, scope, effect } = call.operation;
  const { path, request } = memory.asRecorded(call);
  return { path, try: call.try, type: 'tool_call', tool, scope, effect, request, resumes: memory.openStep(path)?.n };
}

export function retryNote(call: Outbound, memory: AttemptState): StepNote | undefined {
  const { path } = call;
  const open = memory.openStep(path)?.state;
  // A `ready` step needs no new note, because its request was never sent. If the step is a retry, the trace already
  // contains its note.
  if (open === 'ready' || (open !== 'interrupted' && call.try === 1)) return undefined;
  const failure = memory.outcomes.get(path);
  const reason = failure?.ok === false ? failure.error.code : 'interrupted';
  const tool = call.kind === 'call' ? call.operation.fullName : null;
  return { path: `${path}#retry`, type: 'retry', state: 'succeeded', detail: { step: stepOf(path), tool, reason } };
}

/**
 * A response is always recorded, even if it is an error.
 * @param takenAway the reason why this worker lost the run during the call. If it is set, a call without a response is
 * recorded as `cancelled` or `interrupted`. An at-most-once call with an unknown outcome is always recorded as
 * `in_doubt`.
 */
export function settledResult(
  call: Outbound,
  { n }: IntendedStep,
  result: TurnResult,
  takenAway?: AbortReason,
): StepResult {
  const { cost, opaque, messages } = result;
  return {
    ...outcomeOf(call, n, result, takenAway),
    ...(cost && { cost }),
    ...(opaque && { opaque }),
    ...(messages && { messages }),
  };
}

function outcomeOf(call: Outbound, n: number, result: TurnResult, takenAway?: AbortReason): StepResult {
  if (result.kind === 'not_started') return { n, state: 'ready' };
  const { detail } = result;
  if (result.kind === 'pending') return { n, state: 'ready', detail };
  if (result.kind === 'answered') return { n, state: 'succeeded', output: result.output, detail };
  const error = errorOf(call, result);
  if (result.kind === 'unknown' && effectOf(call) === 'at_most_once') return { n, state: 'in_doubt', error, detail };
  const unanswered = result.kind === 'unknown' || result.unanswered === true;
  if (unanswered && takenAway !== undefined)
    return { n, state: takenAway === 'cancelled' ? 'cancelled' : 'interrupted', error, detail };
  if (unanswered) error.unanswered = true;
  if (result.kind === 'refused' && result.permanent) error.permanent = true;
  if (result.kind === 'refused' && result.retryAfterMs !== undefined) error.retryAfterMs = result.retryAfterMs;
  return { n, state: 'failed', error: { ...error, ...repeatsOf(call, result) }, detail };
}

function repeatsOf(call: Outbound, result: TurnResult): Pick<CallError, 'repeats' | 'empty' | 'spent'> {
  if (call.kind !== 'model_call' || result.kind !== 'refused') return {};
  const { repeats, isRepeat, position } = call;
  const isEmpty = result.isEmpty === true;
  const isSpent = (isEmpty && isRepeat) || isRefusal(result);
  const spent = isSpent ? [...call.spent, position] : call.spent;
  return {
    ...(repeats !== 0 && { repeats }),
    ...(isEmpty && { empty: isRepeat ? 2 : 1 }),
    ...(spent.length > 0 && { spent }),
  };
}

function errorOf({ stepId, postponed: before = 0 }: Outbound, failure: ToolCallFailure): CallError {
  const { code, message, status, body, awaitsStorage = false } = failure;
  const postponed = before + Number(awaitsStorage);
  return {
    code,
    message,
    step: stepId,
    ...(awaitsStorage && { awaitsStorage }),
    ...(postponed > 0 && { postponed }),
    ...(status !== undefined && { status }),
    ...(body !== undefined && { body }),
  };
}

interface InFlight {
  isWrite: boolean;
  settled: Promise<void>;
}

export class CallsInFlight {
  private readonly calls = new Map<string, InFlight>();

  get size(): number {
    return this.calls.size;
  }

  get hasWrite(): boolean {
    return [...this.calls.values()].some((call) => call.isWrite);
  }

  has(path: string): boolean {
    return this.calls.has(path);
  }

  /** `settled` resolves when the result of the call is in the write buffer of the attempt. */
  add(call: Outbound, settled: Promise<void>): void {
    const done = settled.finally(() => this.calls.delete(call.path));
    done.catch(() => undefined);
    this.calls.set(call.path, { isWrite: isWrite(call), settled: done });
  }

  addWork(path: string, settled: Promise<void>): void {
    const done = settled.finally(() => this.calls.delete(path));
    done.catch(() => undefined);
    this.calls.set(path, { isWrite: false, settled: done });
  }

  /** Resolves immediately if nothing is in progress. */
  async next(): Promise<void> {
    if (this.calls.size > 0) await Promise.race([...this.calls.values()].map((call) => call.settled));
  }

  async all(): Promise<void> {
    await Promise.all([...this.calls.values()].map((call) => call.settled));
  }
}

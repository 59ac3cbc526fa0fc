import type { AbortReason } from './active-runs.js';
import type { Outbound } from '../interpreter/plan.js';
import type { CallError } from '../interpreter/run-error.js';
import type { IntendedStep, StepResult } from '../records/run-commands.js';
import type { TurnResult } from '../models/turn-call.js';
import { effectOf } from './outbound.js';

/**
 * What is recorded about a call that has ended one way or another. `takenAway` says why the run was taken from this
 * worker meanwhile: then a call without an answer is left for whoever goes on with the run. An answer is recorded as
 * what it is, a refusal included.
 */
export function settledResult(
  call: Outbound,
  { n }: IntendedStep,
  result: TurnResult,
  takenAway?: AbortReason,
): StepResult {
  const { cost } = result;
  return { ...outcomeOf(call, n, result, takenAway), ...(cost && { cost }) };
}

function outcomeOf(call: Outbound, n: number, result: TurnResult, takenAway?: AbortReason): StepResult {
  if (result.kind === 'not_started' || result.kind === 'pending') return { n, state: 'ready' };
  const { detail } = result;
  if (result.kind === 'answered') return { n, state: 'succeeded', output: result.output, detail };
  const error: CallError = { code: result.code, message: result.message, step: call.stepId };
  if (result.kind === 'unknown' && effectOf(call) === 'at_most_once') return { n, state: 'in_doubt', error, detail };
  const unanswered = result.kind === 'unknown' || result.unanswered === true;
  if (unanswered && takenAway !== undefined)
    return { n, state: takenAway === 'cancelled' ? 'cancelled' : 'interrupted', error, detail };
  if (unanswered) error.unanswered = true;
  if (result.kind === 'refused' && result.permanent) error.permanent = true;
  if (result.kind === 'refused' && result.retryAfterMs !== undefined) error.retryAfterMs = result.retryAfterMs;
  return { n, state: 'failed', error, detail };
}

import type { AbortReason } from './active-runs.js';
import type { Call } from './engine/plan.js';
import type { CallError } from './engine/run-error.js';
import type { IntendedStep, StepResult } from './journal-entries.js';
import type { ToolCallResult } from './tools/tool-call.js';

/**
 * What is recorded about a call that has ended one way or another. `takenAway` says why the run was taken from this
 * worker meanwhile: then a call without an answer is left for whoever goes on with the run. An answer is recorded as
 * what it is, a refusal included.
 */
export function settledResult(
  call: Call,
  { n }: IntendedStep,
  result: ToolCallResult,
  takenAway?: AbortReason,
): StepResult {
  if (result.kind === 'not_started') return { n, state: 'ready' };
  const { detail } = result;
  if (result.kind === 'answered') return { n, state: 'succeeded', output: result.output, detail };
  const error: CallError = { code: result.code, message: result.message, step: call.stepId };
  if (result.kind === 'unknown' && call.operation.effect === 'at_most_once')
    return { n, state: 'in_doubt', error, detail };
  const unanswered = result.kind === 'unknown' || result.unanswered === true;
  if (unanswered && takenAway !== undefined)
    return { n, state: takenAway === 'cancelled' ? 'cancelled' : 'interrupted', error, detail };
  if (unanswered) error.unanswered = true;
  if (result.kind === 'refused' && result.permanent) error.permanent = true;
  return { n, state: 'failed', error, detail };
}

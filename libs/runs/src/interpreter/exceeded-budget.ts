import type { JsonObject } from '@app/kernel';
import type { PlanInProgress } from './plan-in-progress.js';
import { RunEnds, StepFailure } from './progress.js';
import type { CallError } from './run-error.js';

/** Ends what the budget no longer covers as `on_exceeded` of the definition says: with the error, or handed off to people. `place` begins the path of the note. */
export function exceedBudget(plan: PlanInProgress, place: string, error: CallError): never {
  const { limits, handOff } = plan.definition;
  if (limits.budget?.onExceeded !== 'hand_off') throw new StepFailure(error, false);
  const detail: JsonObject = { to: [...(handOff?.to ?? [])], reason: error.message };
  plan.note({ type: 'hand_off', path: `${place}budget`, state: 'succeeded', detail });
  throw new RunEnds({ status: 'handed_off', output: detail });
}

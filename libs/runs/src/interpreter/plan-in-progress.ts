import type { CompiledDefinition, CompiledStep } from '@app/definition';
import type { JsonObject, JsonValue } from '@app/kernel';
import type { Note, Outcome, RecordedCallbackUrl } from './plan.js';
import { type Progress, RunEnds, StepFailure } from './progress.js';
import type { CallError } from './run-error.js';
import type { RunContext, StepScope } from './step-scope.js';
import type { WorkMeter } from './work-meter.js';

/** The functions and data of the interpreter that steps and conversations use. */
export interface PlanInProgress {
  definition: CompiledDefinition;
  facts: RunContext;
  spentMicros: () => bigint;
  outcome: (path: string) => Outcome | undefined;
  /**
   * Releases the outcomes that the plan has read inside a loop and whose paths begin with this prefix. A loop may have
   * thousands of outcomes, and the plan does not read these outcomes again.
   */
  release: (prefix: string) => void;
  note: (note: Note) => void;
  meter: WorkMeter;
  callbackUrl: (path: string) => RecordedCallbackUrl;
  requestOf: (path: string) => JsonObject | undefined;
  /**
   * Counts the beginning of a step or a loop iteration. Then pauses if the plan has done all the work that it may do
   * between two pauses.
   * @throws LimitReached
   */
  begin: (stepId: string, scope: StepScope) => Progress<void>;
  /** Pauses if the plan has done all the work that it may do between two pauses. Called between two parts of a step. */
  pauseIfOver: () => Progress<void>;
  carryOut: (steps: readonly CompiledStep[], scope: StepScope) => Progress;
  /** Reports the output of a step. A loop also reports its intermediate output after each round. */
  gave: (stepId: string, output: JsonValue) => void;
}

/**
 * Ends the run in the way that `on_exceeded` of the budget specifies: the run fails with the error or is handed off to
 * people. `place` is the prefix for the path of the hand-off note.
 */
export function exceedBudget(plan: PlanInProgress, place: string, error: CallError): never {
  const { limits, handOff } = plan.definition;
  if (limits.budget?.onExceeded !== 'hand_off') throw new StepFailure(error, false);
  const detail: JsonObject = { to: [...(handOff?.to ?? [])], reason: error.message };
  plan.note({ type: 'hand_off', path: `${place}budget`, state: 'succeeded', detail });
  throw new RunEnds({ status: 'handed_off', output: detail });
}

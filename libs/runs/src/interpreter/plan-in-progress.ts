import type { CompiledDefinition, CompiledStep } from '@app/definition';
import type { JsonObject, JsonValue } from '@app/kernel';
import type { Note, Outcome, RecordedCallbackUrl } from './plan.js';
import { type Progress, RunEnds, StepFailure } from './progress.js';
import type { CallError } from './run-error.js';
import type { RunContext, StepScope } from './step-scope.js';
import type { WorkMeter } from './work-meter.js';

/** The part of the interpreter that steps and conversations use. */
export interface PlanInProgress {
  definition: CompiledDefinition;
  facts: RunContext;
  spentMicros: () => bigint;
  outcome: (path: string) => Outcome | undefined;
  /**
   * Releases the outcomes below this prefix that the plan has read inside a loop. The plan does not read them again,
   * and a loop may have thousands of them.
   */
  release: (prefix: string) => void;
  note: (note: Note) => void;
  meter: WorkMeter;
  callbackUrl: (path: string) => RecordedCallbackUrl;
  /** Counts a step or a loop iteration that begins. Pauses if the turn is over. @throws LimitReached */
  begin: (stepId: string, scope: StepScope) => Progress<void>;
  /** Pauses if the turn is over. Called between two pieces of work of one step. */
  pauseIfOver: () => Progress<void>;
  carryOut: (steps: readonly CompiledStep[], scope: StepScope) => Progress;
  /** Reports the output of a step. A loop also reports its current value after each round. */
  gave: (stepId: string, output: JsonValue) => void;
}

/**
 * Ends the run as `on_exceeded` of the definition specifies: with the error, or handed off to people. `place` is the
 * prefix of the path of the note.
 */
export function exceedBudget(plan: PlanInProgress, place: string, error: CallError): never {
  const { limits, handOff } = plan.definition;
  if (limits.budget?.onExceeded !== 'hand_off') throw new StepFailure(error, false);
  const detail: JsonObject = { to: [...(handOff?.to ?? [])], reason: error.message };
  plan.note({ type: 'hand_off', path: `${place}budget`, state: 'succeeded', detail });
  throw new RunEnds({ status: 'handed_off', output: detail });
}

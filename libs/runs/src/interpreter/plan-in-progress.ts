import type { CompiledDefinition, CompiledStep, Condition, Scope } from '@app/definition';
import type { JsonObject, JsonValue } from '@app/kernel';
import type { Note, Outcome, RecordedCallbackUrl } from './plan.js';
import { type Progress, RunEnds, StepFailure } from './progress.js';
import type { CallError } from './run-error.js';
import type { RunFileIndex } from './run-file-facts.js';
import type { RunContext, StepScope } from './step-scope.js';
import type { WorkMeter } from './work-meter.js';

export const CONDITION_KEYS = ['if', 'when', 'while', 'until', 'assert'] as const;

/** A condition of a step, and its result in one round of the run. */
export interface JudgedCondition {
  step: string;
  key: (typeof CONDITION_KEYS)[number];
  /** Index of the branch of a `switch`. */
  branch?: number;
  condition: Condition;
  scope: Scope;
  holds: boolean;
}

/** Is told what the trace does not record. */
export interface PlanObserver {
  judged: (judged: JudgedCondition) => void;
  ended: (stepId: string, how: 'done' | 'failed' | 'skipped') => void;
}

export interface PlanInProgress {
  definition: CompiledDefinition;
  facts: RunContext;
  spentMicros: () => bigint;
  outcome: (path: string) => Outcome | undefined;
  /** A loop may have thousands of outcomes, and the plan does not read these outcomes again. */
  release: (prefix: string) => void;
  note: (note: Note) => void;
  meter: WorkMeter;
  files: RunFileIndex;
  callbackUrl: (path: string) => RecordedCallbackUrl;
  requestOf: (path: string) => JsonObject | undefined;
  /** @throws LimitReached */
  begin: (stepId: string, scope: StepScope) => Progress<void>;
  pauseIfOver: () => Progress<void>;
  carryOut: (steps: readonly CompiledStep[], scope: StepScope) => Progress;
  observer?: PlanObserver;
  /** A loop also reports its intermediate output after each round. */
  gave: (stepId: string, output: JsonValue) => void;
}

/** `place` is the prefix for the path of the hand-off note. */
export function exceedBudget(plan: PlanInProgress, place: string, error: CallError): never {
  const { limits, handOff } = plan.definition;
  if (limits.budget?.onExceeded !== 'hand_off') throw new StepFailure(error, false);
  const detail: JsonObject = { to: [...(handOff?.to ?? [])], reason: error.message };
  plan.note({ type: 'hand_off', path: `${place}budget`, state: 'succeeded', detail });
  throw new RunEnds({ status: 'handed_off', output: detail });
}

import type { CompiledDefinition, CompiledStep } from '@app/agents/definition';
import type { Note, Outcome } from './plan.js';
import type { Progress } from './progress.js';
import type { RunFacts, StepScope } from './step-scope.js';

/** What steps and conversations need of the interpreter that carries them out. */
export interface PlanInProgress {
  definition: CompiledDefinition;
  facts: RunFacts;
  /** Millionths of the run's currency that it has cost so far, as far as it is known. */
  spentMicros: () => bigint;
  outcome: (path: string) => Outcome | undefined;
  note: (note: Note) => void;
  carryOut: (steps: readonly CompiledStep[], scope: StepScope) => Progress;
}

import { evaluationWork } from '@app/definition';
import type { RunError } from './run-error.js';
import type { StepScope } from './step-scope.js';

/** The maximum limits the trace and the memory use of a run. */
export const MAX_COMPUTED_STEPS = 100_000;
/** Maximum number of characters of JSON that the `let` and `output` steps of one run may compute in total. */
export const MAX_COMPUTED_CHARACTERS = 64 * 1024 * 1024;

/**
 * Amount of work between two pauses, in evaluation steps of expressions. This work takes about 10 ms. One step of the
 * plan may exceed the amount by the evaluation steps of its own expressions.
 */
export const WORK_PER_TURN = 20_000;
const WORK_PER_STEP = 10;
/** An error with its stack trace is expensive to create. */
const WORK_PER_FAILURE = 200;
const OUTPUTS_PER_WORK = 8;

/** No step catches this error. */
export class LimitReached extends Error {
  override readonly name = 'LimitReached';

  constructor(readonly error: RunError) {
    super(error.message);
  }
}

/** @param reason why the loop `stepId` would exceed the limit; omitted if the run has already exceeded the limit */
export function computedTooMuch(stepId: string, scope: Pick<StepScope, 'loop'>, reason?: string): LimitReached {
  const { loop } = scope;
  const place = reason
    ? `the loop \`${stepId}\`: ${reason}`
    : loop
      ? `the loop \`${loop.id}\` at \`${loop.path}\``
      : `the step \`${stepId}\``;
  const message = `The run exceeds the limit of ${MAX_COMPUTED_STEPS} computed steps and loop iterations in ${place}. Loop over fewer items, or split them over several runs.`;
  return new LimitReached({ code: 'step_limit', message, step: reason ? stepId : (loop?.id ?? stepId) });
}

/** The counts depend only on the plan and the outcomes, so each attempt of the run has the same counts. */
export class WorkMeter {
  private steps = 0;
  private characters = 0;
  private work = 0;

  constructor(private readonly workPerTurn: number) {}

  get isTurnOver(): boolean {
    return this.work >= this.workPerTurn;
  }

  beginTurn(): void {
    this.work = 0;
  }

  get stepsLeft(): number {
    return MAX_COMPUTED_STEPS - this.steps;
  }

  step(outputsInScope: number): boolean {
    this.steps += 1;
    this.work += WORK_PER_STEP + outputsInScope / OUTPUTS_PER_WORK;
    return this.steps <= MAX_COMPUTED_STEPS;
  }

  failure(): void {
    this.work += WORK_PER_FAILURE;
  }

  evaluated<T>(evaluate: () => T): T {
    const before = evaluationWork().cost;
    try {
      return evaluate();
    } finally {
      this.work += evaluationWork().cost - before;
    }
  }

  /** `isWithinLimit` is false if the run exceeds {@link MAX_COMPUTED_CHARACTERS}. */
  computed<T>(evaluate: () => T): { value: T; isWithinLimit: boolean } {
    const before = evaluationWork().characters;
    const value = this.evaluated(evaluate);
    this.characters += evaluationWork().characters - before;
    return { value, isWithinLimit: this.characters <= MAX_COMPUTED_CHARACTERS };
  }
}

import type { JsonValue } from '@app/kernel';
import type { Ask, RunOutcome } from './plan.js';
import type { CallError, RunErrorCode } from './run-error.js';

/**
 * Yields the asks (see plan.ts) whose outcomes it needs, and is resumed when more outcomes are known. An ask is yielded
 * again until its outcome is known.
 */
export type Progress<Result = JsonValue> = Generator<readonly Ask[], Result, void>;

/** After the pause, the plan continues at the same place. */
export const PAUSE: readonly Ask[] = [];

interface Circumstances {
  readonly call?: string;
  readonly isRefusal?: boolean;
  /** In a later attempt, a different branch can fail first. */
  readonly isUnordered?: boolean;
}

/** Used only inside the interpreter. */
export class StepFailure extends Error {
  override readonly name = 'StepFailure';

  /** @param isRecorded true if the trace already contains the failure, as the outcome of a call or as a note */
  constructor(
    readonly error: CallError,
    readonly isRecorded = true,
    readonly circumstances: Circumstances = {},
  ) {
    super(error.message);
  }

  ofItem(loopId: string, index: number, count: number): StepFailure {
    const message = `${this.error.message} (item ${index + 1} of ${count} of \`${loopId}\`)`;
    return new StepFailure({ ...this.error, message }, this.isRecorded, this.circumstances);
  }

  ordered(): StepFailure {
    return new StepFailure(this.error, this.isRecorded, { ...this.circumstances, isUnordered: false });
  }

  amongOthers(): StepFailure {
    return new StepFailure(this.error, this.isRecorded, { ...this.circumstances, isUnordered: true });
  }

  ofRound(loopId: string, index: number): StepFailure {
    const message = `${this.error.message} (round ${index + 1} of \`${loopId}\`)`;
    return new StepFailure({ ...this.error, message }, this.isRecorded, this.circumstances);
  }

  /** The trace does not contain this failure yet. */
  static of(step: string, code: RunErrorCode, message: string): StepFailure {
    return new StepFailure({ code, message, step }, false);
  }
}

/** Used only inside the interpreter. */
export class RunEnds extends Error {
  override readonly name = 'RunEnds';

  constructor(readonly outcome: RunOutcome) {
    super(outcome.status);
  }
}

/** Returns their results in the order of the branches. If one branch pauses, all branches pause. */
export function* concurrently<Result>(
  count: number,
  branch: (index: number) => Progress<Result>,
  max: number,
): Progress<Result[]> {
  const results: Result[] = [];
  const open = new Map<number, Progress<Result>>();
  let begun = 0;
  for (;;) {
    const asks: Ask[] = [];
    let ended = false;
    for (; open.size < max && begun < count; begun++) open.set(begun, branch(begun));
    for (const [index, progress] of open) {
      let step = progress.next();
      while (!step.done && step.value === PAUSE) {
        yield PAUSE;
        step = progress.next();
      }
      if (step.done) {
        results[index] = step.value;
        open.delete(index);
        ended = true;
      } else {
        asks.push(...step.value);
      }
    }
    if (open.size === 0 && begun === count) return results;
    // If a branch has ended and another branch can begin, the loop continues without yielding, because the new branch
    // may add asks.
    if (!ended || begun === count) yield asks;
  }
}

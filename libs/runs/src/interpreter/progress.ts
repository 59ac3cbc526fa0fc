import type { JsonValue } from '@app/kernel';
import type { Ask, RunOutcome } from './plan.js';
import type { CallError, RunErrorCode } from './run-error.js';

/**
 * A part of the plan that is being executed. Yields the asks (see plan.ts) whose outcomes it needs, and is resumed when
 * more outcomes are known. An ask is yielded again until its outcome is known. At the end, the part returns its result.
 */
export type Progress<Result = JsonValue> = Generator<readonly Ask[], Result, void>;

/**
 * Yielded instead of asks when the plan has done all the work that it may do between two pauses. After the pause, the
 * plan continues at the same place.
 */
export const PAUSE: readonly Ask[] = [];

interface Circumstances {
  /** Path of the call that failed. */
  readonly call?: string;
  /** True if people rejected a call and the run continues without the call. */
  readonly isRefusal?: boolean;
  /**
   * True if other branches were in progress when this branch failed. In a later attempt, a different branch can fail
   * first.
   */
  readonly isUnordered?: boolean;
}

/** Thrown when a step fails. Used only inside the interpreter. */
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

  /** Returns the failure without `isUnordered`. Used when the trace shows which branch failed first. */
  ordered(): StepFailure {
    return new StepFailure(this.error, this.isRecorded, { ...this.circumstances, isUnordered: false });
  }

  /** Returns the failure with `isUnordered`, for one of several concurrent branches. */
  amongOthers(): StepFailure {
    return new StepFailure(this.error, this.isRecorded, { ...this.circumstances, isUnordered: true });
  }

  ofRound(loopId: string, index: number): StepFailure {
    const message = `${this.error.message} (round ${index + 1} of \`${loopId}\`)`;
    return new StepFailure({ ...this.error, message }, this.isRecorded, this.circumstances);
  }

  /** Creates a failure that no call caused. The trace does not contain this failure yet. */
  static of(step: string, code: RunErrorCode, message: string): StepFailure {
    return new StepFailure({ code, message, step }, false);
  }
}

/** Thrown when the run ends with a hand-off. Used only inside the interpreter. */
export class RunEnds extends Error {
  override readonly name = 'RunEnds';

  constructor(readonly outcome: RunOutcome) {
    super(outcome.status);
  }
}

/**
 * Executes branches concurrently, at most `max` at the same time. Returns their results in the order of the branches.
 * The first failure ends all branches. If one branch pauses, all branches pause. After the pause, this branch continues
 * first, and the asks of the branches before it are kept.
 */
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

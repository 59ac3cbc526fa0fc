import type { JsonValue } from '@app/kernel';
import type { Ask, RunOutcome } from './plan.js';
import type { CallError, RunErrorCode } from './run-error.js';

/**
 * A part of the plan in progress. It yields the asks that it waits for, is resumed when more outcomes are known, and
 * returns its result. If it is resumed without the outcome, it asks again.
 */
export type Progress<Result = JsonValue> = Generator<readonly Ask[], Result, void>;

/**
 * Yielded instead of asks when the interpreter has to give up its turn. A part that is resumed after it continues
 * where it was.
 */
export const PAUSE: readonly Ask[] = [];

/** Thrown inside the interpreter when a step fails, and nowhere else. */
export class StepFailure extends Error {
  override readonly name = 'StepFailure';

  /** @param isRecorded the trace has the failure already, as the outcome of a call or as a note */
  constructor(
    readonly error: CallError,
    readonly isRecorded = true,
  ) {
    super(error.message);
  }

  /** The same failure, with the item of the loop that it happened in. */
  ofItem(loopId: string, index: number, count: number): StepFailure {
    const message = `${this.error.message} (item ${index + 1} of ${count} of \`${loopId}\`)`;
    return new StepFailure({ ...this.error, message }, this.isRecorded);
  }

  /** A failure inside the plan, without a call. */
  static of(step: string, code: RunErrorCode, message: string): StepFailure {
    return new StepFailure({ code, message, step }, false);
  }
}

/** Thrown inside the interpreter when a step ends the run on purpose. */
export class RunEnds extends Error {
  override readonly name = 'RunEnds';

  constructor(readonly outcome: RunOutcome) {
    super(outcome.status);
  }
}

/**
 * Carries out branches concurrently, at most `max` at a time, and returns their results in the order of the branches.
 * The first failure ends all of them. A pause of one branch pauses all; the same branch continues after it, and the
 * others are not asked again.
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
    // A branch has ended: the next one may have an ask at once.
    if (!ended || begun === count) yield asks;
  }
}

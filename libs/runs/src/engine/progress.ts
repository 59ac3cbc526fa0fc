import type { JsonValue } from '@app/kernel';
import type { Ask, Ending } from './plan.js';
import type { CallError, RunErrorCode } from './run-error.js';

/**
 * A part of the plan being carried out. It yields what it waits for, is resumed when more outcomes are known, and returns
 * its result. Resuming it without the outcome that it waits for is harmless: it asks again.
 */
export type Progress<Result = JsonValue> = Generator<readonly Ask[], Result, void>;

/** Thrown inside the interpreter when a step fails, and nowhere else. */
export class StepFailure extends Error {
  override readonly name = 'StepFailure';

  /** @param isRecorded the trace tells of it: it is what became of a call, or it was noted */
  constructor(
    readonly error: CallError,
    readonly isRecorded = true,
  ) {
    super(error.message);
  }

  /** One that only the plan knows of: nothing was called. */
  static of(step: string, code: RunErrorCode, message: string): StepFailure {
    return new StepFailure({ code, message, step }, false);
  }
}

/** Thrown inside the interpreter when a step ends the run on purpose. */
export class RunEnds extends Error {
  override readonly name = 'RunEnds';

  constructor(readonly ending: Ending) {
    super(ending.status);
  }
}

/**
 * Carries out branches side by side, at most `max` of them at a time, and gives their results in the order of the
 * branches. The first failure ends all of them.
 */
export function* concurrently<Result>(branches: readonly (() => Progress<Result>)[], max: number): Progress<Result[]> {
  const results: Result[] = [];
  const open = new Map<number, Progress<Result>>();
  let begun = 0;
  for (;;) {
    const asks: Ask[] = [];
    let ended = false;
    for (; open.size < max && begun < branches.length; begun++) open.set(begun, branches[begun]!());
    for (const [index, progress] of open) {
      const step = progress.next();
      if (step.done) {
        results[index] = step.value;
        open.delete(index);
        ended = true;
      } else {
        asks.push(...step.value);
      }
    }
    if (open.size === 0 && begun === branches.length) return results;
    // A place became free: the next branch may have something to ask at once.
    if (!ended || begun === branches.length) yield asks;
  }
}

import { evaluationWork } from '@app/definition';
import { nextTurn } from '@app/kernel';
import { WORK_PER_TURN } from '@app/runs';

/** Work that yields wherever it can be interrupted, and returns its result. */
export type InterruptibleWork<Result> = Generator<void, Result, void>;

/** Executes the work without interruption. */
export function atOnce<Result>(work: InterruptibleWork<Result>): Result {
  for (;;) {
    const step = work.next();
    if (step.done) return step.value;
  }
}

/** Executes the work in parts, and lets the event loop run between them. */
export async function inTurns<Result>(work: InterruptibleWork<Result>): Promise<Result> {
  let before = evaluationWork().cost;
  for (;;) {
    const step = work.next();
    if (step.done) return step.value;
    if (evaluationWork().cost - before < WORK_PER_TURN) continue;
    await nextTurn();
    before = evaluationWork().cost;
  }
}

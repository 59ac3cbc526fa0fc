import { evaluationWork } from '@app/definition';
import { nextTurn } from '@app/kernel';
import { WORK_PER_TURN } from '@app/runs';

/** Work that yields wherever it may be interrupted, and returns its result. */
export type InterruptibleWork<Result> = Generator<void, Result, void>;

/** Does the work at once. */
export function atOnce<Result>(work: InterruptibleWork<Result>): Result {
  for (;;) {
    const step = work.next();
    if (step.done) return step.value;
  }
}

/** Does the work in pieces, between which the process does other things. */
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

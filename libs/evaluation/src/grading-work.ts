import { evaluationWork } from '@app/definition';
import { nextTurn } from '@app/kernel';
import { WORK_PER_TURN } from '@app/runs';

/** Work that can be interrupted at each `yield`, and that returns a result. */
export type InterruptibleWork<Result> = Generator<void, Result, void>;

/** Executes the whole work in one turn of the event loop. No other work of the process runs until it has ended. */
export function atOnce<Result>(work: InterruptibleWork<Result>): Result {
  for (;;) {
    const step = work.next();
    if (step.done) return step.value;
  }
}

/** Executes the work in parts. Other work of the event loop can run between the parts. */
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

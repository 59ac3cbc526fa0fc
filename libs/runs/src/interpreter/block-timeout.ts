import { type CompiledStep, isBlock } from '@app/definition';
import type { Note } from './plan.js';
import { PAUSE, type Progress, StepFailure } from './progress.js';

export interface TimedPlan {
  /** Milliseconds by a clock that only goes forward. */
  now: () => number;
  /** Whether an earlier attempt recorded a note of that path. */
  wasNoted: (path: string) => boolean;
  note: (note: Note) => void;
}

/**
 * Carries out a block within its `timeout`, which counts the time that a worker spends on it. Waits and approvals
 * inside do not count, and restart it. Calls inside get at most the remaining time. When no time is left, the block
 * fails instead of beginning more work. The failure is recorded as a note, so that a later attempt fails in the same
 * way whatever has been recorded since.
 */
export function* inTime(progress: Progress, step: CompiledStep, path: string, plan: TimedPlan): Progress {
  const { id, timeoutMs } = step;
  if (timeoutMs === null || !isBlock(step)) return yield* progress;
  const notePath = `${path}#timeout`;
  const message = `The step took longer than ${timeoutMs} ms.`;
  const failure = new StepFailure({ code: 'timeout', message, step: id });
  if (plan.wasNoted(notePath)) throw failure;
  const endsAt = plan.now() + timeoutMs;
  for (;;) {
    const next = progress.next();
    if (next.done) return next.value;
    const leftMs = endsAt - plan.now();
    if (leftMs <= 0) {
      plan.note({ type: 'error', path: notePath, state: 'failed', detail: { code: 'timeout', message, step: id } });
      throw failure;
    }
    if (next.value === PAUSE) {
      yield PAUSE;
      continue;
    }
    yield next.value.map((ask) => ('timeoutMs' in ask ? { ...ask, timeoutMs: Math.min(ask.timeoutMs, leftMs) } : ask));
  }
}

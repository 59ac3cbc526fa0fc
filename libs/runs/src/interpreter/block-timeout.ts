import { type CompiledStep, isBlock } from '@app/definition';
import type { Ask, Note, Outbound } from './plan.js';
import { PAUSE, type Progress, StepFailure } from './progress.js';

export interface TimedPlan {
  /** Current time in milliseconds, by a monotonic clock. */
  now: () => number;
  /** Returns whether an earlier attempt recorded a note with this path. */
  wasNoted: (path: string) => boolean;
  note: (note: Note) => void;
}

/**
 * Executes a block within its `timeout`. Only the time that a worker spends on the block counts. Waits and approvals
 * inside the block do not count, and the timeout restarts after them. Calls inside the block get at most the remaining
 * time. When no time is left, the block fails instead of beginning more work. The failure is recorded as a note, so
 * that a later attempt fails at the same place, even if further results have been recorded since.
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
    yield next.value.map((ask) => (isTimed(ask) ? { ...ask, timeoutMs: Math.min(ask.timeoutMs, leftMs) } : ask));
  }
}

function isTimed(ask: Ask): ask is Outbound {
  return ask.kind === 'call' || ask.kind === 'model_call';
}

import { type CompiledStep, isBlock } from '@app/definition';
import type { Ask, Note, Outbound } from './plan.js';
import { PAUSE, type Progress, StepFailure } from './progress.js';

export interface TimedPlan {
  /** Returns the time of a monotonic clock in milliseconds. */
  now: () => number;
  /** Returns whether the trace contains a note with this path from an earlier attempt. */
  wasNoted: (path: string) => boolean;
  note: (note: Note) => void;
}

/**
 * Executes a block within its `timeout`. While the run is suspended, for example during a wait or an approval, the
 * timeout does not run. When the run continues, the whole timeout begins again. A call inside the block gets at most
 * the remaining time. When no time is left, the block begins no more work and fails. A note records this failure. A
 * later attempt therefore fails at the same place, even if more results have been recorded in the meantime.
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

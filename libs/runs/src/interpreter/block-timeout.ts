import { type CompiledStep, isBlock } from '@app/definition';
import type { Ask, Note, Outbound } from './plan.js';
import { PAUSE, type Progress, StepFailure } from './progress.js';

export interface TimedPlan {
  now: () => number;
  wasNoted: (path: string) => boolean;
  note: (note: Note) => void;
}

/**
 * While the run is suspended, for example during a wait or an approval, the timeout does not run. When the run
 * continues, the whole timeout begins again. A later attempt therefore fails at the same place, even if more results
 * have been recorded in the meantime.
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

import type { JobProcessor } from '@app/platform/queue';
import type { RunExecutor } from '@app/runs';

/** `run.execute`: the executor finds out whether there is anything to do. */
export function executeRunProcessor(executor: RunExecutor): JobProcessor<{ runId: string }> {
  return ({ runId }) => executor.execute(runId);
}

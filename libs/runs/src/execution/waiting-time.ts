import type { RunError } from '../interpreter/run-error.js';
import type { RecordedStep } from '../records/run-commands.js';
import type { GatedIntent } from './pauses.js';

/** What `max_wait` of a definition leaves a run: waits for a time and for people count, each moment once. */
export class WaitingTime {
  /** Milliseconds; nothing may be waited for when it is 0 or less. */
  readonly leftMs: number;

  constructor(
    steps: readonly Pick<RecordedStep, 'waited'>[],
    private readonly maxWaitMs: number,
  ) {
    this.leftMs = Math.ceil(maxWaitMs - waitedMillis(steps));
  }

  /** Why the run ends that would have to wait on, or undefined while it may. */
  get exceeded(): RunError | undefined {
    if (this.leftMs > 0) return undefined;
    return { code: 'timeout', message: `The run waited for longer than ${this.maxWaitMs} ms.`, step: null };
  }

  /** The same question, open for as long as the run may wait for its answer. */
  limited(intent: GatedIntent): GatedIntent {
    const { rule } = intent.gate;
    const timeoutMs = Math.min(rule.timeoutMs, this.leftMs);
    return { ...intent, gate: { ...intent.gate, rule: { ...rule, timeoutMs } } };
  }
}

/** What waits side by side is waited for once. */
function waitedMillis(steps: readonly Pick<RecordedStep, 'waited'>[]): number {
  const spans = steps.flatMap(({ waited }) => (waited ? [waited] : [])).sort(([one], [other]) => one - other);
  let sum = 0;
  let coveredUntil = -Infinity;
  for (const [from, to] of spans) {
    sum += Math.max(0, to - Math.max(from, coveredUntil));
    coveredUntil = Math.max(coveredUntil, to);
  }
  return sum;
}

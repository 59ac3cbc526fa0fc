import type { RunError } from '../interpreter/run-error.js';
import type { RecordedStep } from '../records/run-commands.js';
import type { GatedIntent } from './pauses.js';

/** `wait` steps and waits for people use up this time. Overlapping waits count once. */
export class WaitingTime {
  /** If it is 0 or less, the run may not wait. */
  readonly leftMs: number;

  constructor(
    steps: readonly Pick<RecordedStep, 'waited'>[],
    private readonly maxWaitMs: number,
  ) {
    this.leftMs = Math.ceil(maxWaitMs - waitedMillis(steps));
  }

  get exceeded(): RunError | undefined {
    if (this.leftMs > 0) return undefined;
    return {
      code: 'timeout',
      message: `The run waited for longer than ${this.maxWaitMs} ms (\`limits.max_wait\`).`,
      step: null,
    };
  }

  limited(intent: GatedIntent): GatedIntent {
    const { rule } = intent.gate;
    const timeoutMs = Math.min(rule.timeoutMs, this.leftMs);
    return { ...intent, gate: { ...intent.gate, rule: { ...rule, timeoutMs } } };
  }
}

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

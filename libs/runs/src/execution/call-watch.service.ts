import { Clock } from '@app/kernel';
import { Metrics, type SpanStart, Tracing } from '@app/platform/observability';
import { Injectable } from '@nestjs/common';
import type { TurnResult } from '../models/turn-call.js';
import { told } from './outbound-spans.js';

const BUCKETS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120];

/** Tells operators of every call that leaves for a run: how long it took, what became of it, and its place in a trace. */
@Injectable()
export class CallWatch {
  private readonly seconds: ReturnType<typeof callSeconds>;

  constructor(
    private readonly tracing: Tracing,
    private readonly clock: Clock,
    metrics: Metrics,
  ) {
    this.seconds = callSeconds(metrics);
  }

  async during<Result extends TurnResult>(
    type: 'tool_call' | 'model_call',
    start: () => SpanStart,
    call: () => Promise<Result>,
  ): Promise<Result> {
    const began = this.clock.monotonicMillis();
    const result = await this.tracing.during(start, async (span) => {
      const answer = await call();
      told(span, answer);
      return answer;
    });
    this.seconds.observe({ type, outcome: result.kind }, (this.clock.monotonicMillis() - began) / 1000);
    return result;
  }
}

function callSeconds(metrics: Metrics) {
  return metrics.histogram(
    {
      name: 'aas_step_seconds',
      help: 'Time of the calls of runs, by type (tool_call, model_call) and outcome (answered, refused, unknown, pending, not_started).',
      labels: ['type', 'outcome'],
    },
    BUCKETS,
  );
}

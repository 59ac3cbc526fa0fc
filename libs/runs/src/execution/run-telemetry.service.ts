import { Clock } from '@app/kernel';
import { type Statement, Statements } from '@app/platform/database';
import { Metrics, type SpanStart, Tracing } from '@app/platform/observability';
import { Injectable } from '@nestjs/common';
import type { TurnResult } from '../models/turn-call.js';
import type { ClaimedRun } from '../records/run-commands.js';
import { setResult } from './outbound-spans.js';

const BUCKETS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120];

const TRACEPARENT: Statement = {
  name: 'runs.traceparent',
  text: 'select traceparent from runs where workspace_id = $1 and id = $2',
};

@Injectable()
export class RunTelemetryService {
  private readonly seconds: ReturnType<typeof callSeconds>;

  constructor(
    private readonly tracing: Tracing,
    private readonly statements: Statements,
    private readonly clock: Clock,
    metrics: Metrics,
  ) {
    this.seconds = callSeconds(metrics);
  }

  /**
   * Executes an attempt in a span of the OpenTelemetry trace that accepted the run. Costs a statement if tracing is
   * on.
   */
  async duringAttempt(run: ClaimedRun, work: () => Promise<void>): Promise<void> {
    if (!this.tracing.isOn) return work();
    const parent = await this.traceparent(run);
    const attributes = {
      'gen_ai.operation.name': 'invoke_agent',
      'gen_ai.agent.id': run.agentId,
      'messaging.operation.type': 'process',
      'messaging.destination.name': 'runs',
      'messaging.message.id': run.id,
      'aas.workspace.id': run.workspaceId,
      'aas.agent.version': run.version,
      'aas.run.attempt': run.attempt,
      'aas.run.mode': run.mode,
    };
    await this.tracing.during(() => ({ name: 'invoke_agent', kind: 'consumer', parent, attributes }), work);
  }

  async duringCall<Result extends TurnResult>(
    type: 'tool_call' | 'model_call',
    start: () => SpanStart,
    call: () => Promise<Result>,
  ): Promise<Result> {
    const began = this.clock.monotonicMillis();
    const result = await this.tracing.during(start, async (span) => {
      const answer = await call();
      setResult(span, answer);
      return answer;
    });
    this.seconds.observe({ type, outcome: result.kind }, (this.clock.monotonicMillis() - began) / 1000);
    return result;
  }

  /** Null if the run has none or the read fails: then a new trace begins here. */
  private async traceparent({ workspaceId, id }: ClaimedRun): Promise<string | null> {
    const read = this.statements.query<{ traceparent: string | null }>(TRACEPARENT, [workspaceId, id]);
    const rows = await read.catch(() => []);
    return rows[0]?.traceparent ?? null;
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

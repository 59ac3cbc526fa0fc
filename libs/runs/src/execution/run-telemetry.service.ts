import { Injectable } from '@nestjs/common';
import { Clock } from '@app/kernel';
import { type Statement, Statements } from '@app/platform/database';
import { Metrics, type SpanStart, Tracing, type Span, type SpanAttributes } from '@app/platform/observability';
import type { CompiledDefinition } from '@app/definition';
import type { TurnResult } from '../models/turn-call.js';
import type { ClaimedRun, IntendedStep } from '../records/run-commands.js';
import type { Call, ModelCall } from '../interpreter/plan.js';

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

  /** The span continues the OpenTelemetry trace of the request that started the run. */
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
      help: 'Duration of the calls of runs, by type (tool_call, model_call) and outcome (answered, refused, unknown, pending, not_started).',
      labels: ['type', 'outcome'],
    },
    BUCKETS,
  );
}

// Spans follow the OpenTelemetry conventions for generative AI. They never contain requests or responses, because the
// collector that receives the spans does not redact them.
export function toolSpan(run: ClaimedRun, definition: CompiledDefinition, call: Call, step: IntendedStep): SpanStart {
  const { fullName, tool, scope } = call.operation;
  return {
    name: `execute_tool ${fullName}`,
    kind: 'internal',
    attributes: {
      ...place(run, step),
      'gen_ai.operation.name': 'execute_tool',
      'gen_ai.tool.name': fullName,
      'gen_ai.tool.type': definition.tools.get(tool)?.kind === 'knowledge' ? 'datastore' : 'function',
      'gen_ai.tool.call.id': `${run.id}/${call.path}`,
      'aas.tool.scope': scope,
    },
  };
}

export function turnSpan(run: ClaimedRun, { model, params }: ModelCall, step: IntendedStep): SpanStart {
  return {
    name: `chat ${model.name}`,
    kind: 'client',
    attributes: {
      ...place(run, step),
      'gen_ai.operation.name': 'chat',
      'gen_ai.provider.name': model.provider,
      'gen_ai.request.model': model.name,
      'gen_ai.request.max_tokens': params.maxOutputTokens,
      'gen_ai.request.temperature': params.temperature,
      'gen_ai.output.type': 'text',
    },
  };
}

function setResult(span: Span, result: TurnResult): void {
  const { cost } = result;
  if (cost) span.set({ 'gen_ai.usage.input_tokens': cost.input, 'gen_ai.usage.output_tokens': cost.output });
  if (result.kind === 'answered') {
    const { finish_reason: reason, http_status: status } = result.detail;
    if (typeof reason === 'string') span.set({ 'gen_ai.response.finish_reasons': [reason] });
    if (typeof status === 'number') span.set({ 'http.response.status_code': status });
  }
  if (result.kind === 'refused' || result.kind === 'unknown') span.fail(result.code);
  if (result.kind === 'not_started' || result.kind === 'pending') span.set({ 'aas.call.outcome': result.kind });
}

function place(run: ClaimedRun, { n, path, try: tried }: IntendedStep): SpanAttributes {
  return {
    'gen_ai.agent.id': run.agentId,
    'aas.workspace.id': run.workspaceId,
    'aas.run.id': run.id,
    'aas.step.n': n,
    'aas.step.path': path,
    'aas.step.try': tried,
  };
}

import type { CompiledDefinition } from '@app/definition';
import type { Span, SpanAttributes, SpanStart } from '@app/platform/observability';
import type { Call, ModelCall } from '../interpreter/plan.js';
import type { ClaimedRun, IntendedStep } from '../records/run-commands.js';
import type { TurnResult } from '../models/turn-call.js';

// Spans follow OpenTelemetry's conventions for generative AI. They never contain requests or answers, because a
// collector does not redact.
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

export function setResult(span: Span, result: TurnResult): void {
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

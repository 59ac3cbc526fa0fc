import type { CompiledDefinition, CompiledTool } from '@app/definition';
import type { Call, ModelCall, Outbound } from '../interpreter/plan.js';
import type { RunContext } from '../interpreter/step-scope.js';
import type { ClaimedRun, IntendedStep } from '../records/run-commands.js';
import type { TurnResult } from '../models/turn-call.js';
import type { ToolCallResult } from '../calls/tool-call.js';
import { toolSpan, turnSpan } from './outbound-spans.js';
import type { Recorded } from './attempt-records.js';
import type { RunTelemetry } from './run-telemetry.service.js';
import type { ModelTurns } from '../models/model-turns.service.js';
import type { ToolDispatcher } from '../tools/tool-dispatcher.service.js';

/** The two ways out of a run, and what measures them. */
export interface OutboundPorts {
  tools: ToolDispatcher;
  models: ModelTurns;
  telemetry: RunTelemetry;
}

/** What leaves the service for one run: each with its recorded intent in hand. */
export class OutboundCalls {
  constructor(
    private readonly host: OutboundPorts,
    private readonly run: ClaimedRun,
    private readonly definition: CompiledDefinition,
    private readonly facts: RunContext,
    private readonly signal: AbortSignal,
  ) {}

  make(call: Outbound, step: IntendedStep, begun: Recorded): Promise<TurnResult> {
    return call.kind === 'call' ? this.callTool(call, step, begun) : this.askModel(call, step, begun);
  }

  callTool(call: Call, step: IntendedStep, begun: Recorded): Promise<ToolCallResult> {
    return this.host.telemetry.duringCall(
      'tool_call',
      () => toolSpan(this.run, this.definition, call, step),
      () => this.dispatch(call, step, begun),
    );
  }

  private dispatch(call: Call, step: IntendedStep, begun: Recorded): Promise<ToolCallResult> {
    return this.host.tools.call(this.definition, {
      workspaceId: this.run.workspaceId,
      mode: this.run.mode,
      operation: call.operation,
      request: step.request,
      timeoutMs: call.timeoutMs,
      facts: this.facts,
      idempotencyKey: this.keyOf(call),
      origin: { runId: this.run.id, step: call.path, epoch: begun.epoch, attempt: this.run.attempt },
      initiator: this.run.initiator,
      budgetMicros: this.definition.limits.budget?.perRunMicros ?? null,
      signal: this.signal,
      mayStart: () => !this.signal.aborted && begun.permission(),
    });
  }

  /** One per logical call, the same for every try. */
  keyOf({ path }: Outbound): string {
    return `${this.run.id}/${path}`;
  }

  private askModel(call: ModelCall, step: IntendedStep, begun: Recorded): Promise<TurnResult> {
    return this.host.telemetry.duringCall(
      'model_call',
      () => turnSpan(this.run, call, step),
      () => this.take(call, step, begun),
    );
  }

  private take(call: ModelCall, { n }: IntendedStep, begun: Recorded): Promise<TurnResult> {
    const { workspaceId, agentId, id: runId } = this.run;
    return this.host.models.take({
      workspaceId,
      agentId,
      runId,
      n,
      path: call.path,
      model: call.model,
      params: call.params,
      prompt: call.prompt,
      budget: this.definition.limits.budget,
      isFamily: this.run.trigger.type === 'agent' || [...this.definition.tools.values()].some(isAgent),
      isPrivate: this.definition.redactPaths.length > 0,
      timeoutMs: call.timeoutMs,
      signal: this.signal,
      mayStart: () => !this.signal.aborted && begun.permission(),
    });
  }
}

function isAgent({ kind }: CompiledTool): boolean {
  return kind === 'agent';
}

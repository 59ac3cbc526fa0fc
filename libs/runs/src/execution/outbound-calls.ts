import type { CompiledDefinition, CompiledTool } from '@app/definition';
import type { JsonObject } from '@app/kernel';
import type { Call, ModelCall, Outbound } from '../interpreter/plan.js';
import type { RunContext } from '../interpreter/step-scope.js';
import type { RunPrivacy } from '../privacy/run-privacy.js';
import { fileRunOf } from '../records/file-run.js';
import type { ClaimedRun, IntendedStep } from '../records/run-commands.js';
import { RunTurns } from '../models/run-turns.js';
import { promptCacheKey } from '../models/prompt-cache.js';
import type { TurnResult } from '../models/turn-call.js';
import type { ToolCallResult } from '../calls/tool-call.js';
import type { OutboundCallsService } from './outbound-calls.service.js';
import { toolSpan, turnSpan } from './run-telemetry.service.js';
import type { RecordedSteps } from './attempt-records.js';

export interface CallSignals {
  signal: AbortSignal;
  released: AbortSignal;
}

/** Before each call, the user of this class must record the intent to make it. */
export class OutboundCalls {
  private readonly turns: RunTurns;

  constructor(
    private readonly services: OutboundCallsService,
    private readonly run: ClaimedRun,
    private readonly definition: CompiledDefinition,
    private readonly context: RunContext,
    private readonly privacy: RunPrivacy,
    private readonly signals: CallSignals,
  ) {
    this.turns = new RunTurns(run.steps);
  }

  release(path: string): void {
    this.turns.release(path);
  }

  makeCall(call: Outbound, step: IntendedStep, begun: RecordedSteps): Promise<TurnResult> {
    return call.kind === 'call' ? this.callTool(call, step, begun) : this.askModel(call, step, begun);
  }

  callTool(call: Call, step: IntendedStep, begun: RecordedSteps): Promise<ToolCallResult> {
    return this.services.telemetry.duringCall(
      'tool_call',
      () => toolSpan(this.run, this.definition, call, step),
      () => this.dispatch(call, step, begun),
    );
  }

  private dispatch(call: Call, step: IntendedStep, begun: RecordedSteps): Promise<ToolCallResult> {
    const { request, tokens } = this.revealed(call, step);
    return this.services.tools.callTool(this.definition, {
      workspaceId: this.run.workspaceId,
      mode: this.run.mode,
      fileRun: fileRunOf(this.run),
      operation: call.operation,
      request,
      hidden: tokens,
      privacy: this.privacy,
      timeoutMs: call.timeoutMs,
      context: this.context,
      idempotencyKey: this.keyOf(call),
      origin: { runId: this.run.id, step: call.path, epoch: begun.epoch, attempt: this.run.attempt },
      initiator: this.run.initiator,
      stateBegin: this.run.mocks?.state ?? null,
      budgetMicros: this.definition.limits.budget?.perRunMicros ?? null,
      signal: this.signals.signal,
      released: this.signals.released,
      mayStart: () => !this.signals.signal.aborted && begun.permission(),
    });
  }

  private revealed({ callbacks = [] }: Call, { request }: IntendedStep): { request: JsonObject; tokens: string[] } {
    if (callbacks.length === 0) return { request, tokens: [] };
    return this.services.callbacks.revealed(this.run.id, callbacks, request);
  }

  /** It is the same for all attempts of the call. */
  keyOf({ path }: Outbound): string {
    return `${this.run.id}/${path}`;
  }

  private askModel(call: ModelCall, step: IntendedStep, begun: RecordedSteps): Promise<TurnResult> {
    return this.services.telemetry.duringCall(
      'model_call',
      () => turnSpan(this.run, call, step),
      () => this.take(call, step, begun),
    );
  }

  private take(call: ModelCall, { n }: IntendedStep, begun: RecordedSteps): Promise<TurnResult> {
    const { workspaceId, agentId, id: runId } = this.run;
    const { hash } = this.definition;
    return this.services.models.takeTurn({
      workspaceId,
      agentId,
      runId,
      n,
      path: call.path,
      model: call.model,
      params: call.params,
      ...(hash !== undefined && { cacheKey: promptCacheKey(workspaceId, hash) }),
      turns: this.turns,
      prompt: call.prompt,
      fileRun: fileRunOf(this.run),
      files: this.definition.model?.files ?? 'auto',
      budget: this.definition.limits.budget,
      isFamily: this.run.trigger.type === 'agent' || [...this.definition.tools.values()].some(isAgent),
      isPrivate: !this.privacy.redactsNothing,
      timeoutMs: call.timeoutMs,
      signal: this.signals.signal,
      mayStart: () => !this.signals.signal.aborted && begun.permission(),
    });
  }
}

function isAgent({ kind }: CompiledTool): boolean {
  return kind === 'agent';
}

import { randomUUID } from 'node:crypto';
import type { JsonValue } from '@app/kernel';
import { type CompiledDefinition, ExpressionError, SIMULATED_RESPONSE } from '@app/agents/definition';
import type { AbortReason, ActiveRuns } from './active-runs.js';
import { Interpreter } from './engine/interpreter.js';
import type { Call, Ending, Outcome } from './engine/plan.js';
import type { RunError } from './engine/run-error.js';
import type {
  AdvanceVerdict,
  ClaimedRun,
  RunJournal,
  StartedStep,
  StepIntent,
  StepNote,
  StepResult,
} from './run-journal.js';
import type { PersistentWrites } from './persistent-writes.js';
import type { StartGate, StartPermission } from './start-gate.js';
import type { ToolCallResult } from './tools/tool-call.js';
import type { ToolDispatcher } from './tools/tool-dispatcher.service.js';

/** What an attempt needs from the process that it runs in. */
export interface AttemptHost {
  journal: RunJournal;
  tools: ToolDispatcher;
  gate: StartGate;
  writes: PersistentWrites;
  activeRuns: Pick<ActiveRuns, 'isDraining'>;
}

/**
 * One worker carrying out one claimed run, from what is recorded to its end or to the point where it has to let go.
 * Intent before a call, result after it; the result of one call and the intent of the next share a commit.
 */
export class RunAttempt {
  private readonly interpreter: Interpreter;
  private readonly outcomes = new Map<string, Outcome>();
  /** Recorded calls without a result, to be carried on: path → position. */
  private readonly unfinished = new Map<string, number>();
  private results: StepResult[] = [];
  private notes: StepNote[] = [];
  private callsMade = 0;

  constructor(
    private readonly host: AttemptHost,
    private readonly run: ClaimedRun,
    private readonly definition: CompiledDefinition,
    private readonly signal: AbortSignal,
  ) {
    this.recall();
    this.interpreter = new Interpreter(definition, runFacts(run, definition), notedPaths(run));
  }

  async carryOut(): Promise<void> {
    await this.goOn();
    // The run was taken away during a call; what became of the call still belongs into its trace.
    if (this.results.length > 0)
      await this.host.journal.advance(this.run, randomUUID(), { ...this.takeRecords(), notes: [], intents: [] });
  }

  private async goOn(): Promise<void> {
    while (!this.isTakenAway()) {
      const decision = this.interpreter.next(this.outcomes);
      this.notes.push(...decision.notes);
      if (decision.kind === 'end') return this.finish(decision.ending);
      const call = decision.calls[0]!;
      if (this.simulate(call)) continue;
      const exceeded = this.exceededLimit();
      if (exceeded) return this.finish({ status: 'failed', error: exceeded });
      if (this.host.activeRuns.isDraining) return this.release();
      if (!(await this.make(call))) return;
    }
  }

  private isTakenAway(): boolean {
    const reason = this.abortReason();
    return reason !== undefined && reason !== 'timeout';
  }

  private abortReason(): AbortReason | undefined {
    return this.signal.reason as AbortReason | undefined;
  }

  /** Reads what earlier attempts recorded: outcomes are facts, calls without one are to be carried on. */
  private recall(): void {
    for (const step of this.run.steps) {
      if (step.type !== 'tool_call') continue;
      this.callsMade += 1;
      if (step.state === 'succeeded' || step.state === 'simulated')
        this.outcomes.set(step.path, { ok: true, output: step.output });
      else if (step.state === 'failed' && step.error) this.outcomes.set(step.path, { ok: false, error: step.error });
      else if (step.state === 'ready' || step.state === 'interrupted') this.unfinished.set(step.path, step.n);
    }
  }

  /** In test mode no write leaves: it is answered from the definition and recorded as simulated. */
  private simulate(call: Call): boolean {
    const { operation, request, path } = call;
    if (this.run.mode !== 'test' || operation.scope === 'read') return false;
    const output = simulatedOutput(call, this.run);
    if (output instanceof ExpressionError) {
      const message = `The simulate value of ${operation.fullName} cannot be evaluated: ${output.message}`;
      this.outcomes.set(path, { ok: false, error: { code: 'tool_error', message, step: call.stepId } });
      return true;
    }
    this.outcomes.set(path, { ok: true, output });
    const { fullName: tool, scope, effect } = operation;
    const detail = { response_summary: 'simulated: mode is test' };
    this.notes.push({ path, type: 'tool_call', state: 'simulated', tool, scope, effect, request, output, detail });
    return true;
  }

  private exceededLimit(): RunError | undefined {
    const { maxSteps } = this.definition.limits;
    if (this.abortReason() === 'timeout') return this.timedOut();
    if (this.callsMade < maxSteps) return undefined;
    return { code: 'step_limit', message: `The run reached its limit of ${maxSteps} steps.`, step: null };
  }

  /** Records the intent, makes the call, keeps the result for the next write. False: the run is no longer ours to work on. */
  private async make(call: Call): Promise<boolean> {
    const { verdict, permission } = await this.record(call);
    if (verdict.verdict !== 'ok') return false;
    const step = verdict.started[0]!;
    this.unfinished.delete(call.path);
    const result = await this.dispatch(call, step, verdict.epoch, permission);
    if (result.kind === 'not_started') {
      this.results.push({ n: step.n, state: 'ready' });
      this.unfinished.set(call.path, step.n);
      return true;
    }
    this.callsMade += 1;
    return this.settle(call, step, result);
  }

  private async record(call: Call): Promise<{ verdict: AdvanceVerdict; permission: StartPermission }> {
    const { fullName: tool, scope, effect } = call.operation;
    const intent: StepIntent = { path: call.path, type: 'tool_call', tool, scope, effect, request: call.request };
    const resumes = this.unfinished.get(call.path);
    if (resumes !== undefined) intent.resumes = resumes;
    const write = { ...this.takeRecords(), intents: [intent] };
    const op = randomUUID();
    return this.host.writes.insist(async () => {
      const permission = this.host.gate.ask();
      return { permission, verdict: await this.host.journal.advance(this.run, op, write) };
    });
  }

  private dispatch(call: Call, step: StartedStep, epoch: string, permission: StartPermission): Promise<ToolCallResult> {
    return this.host.tools.call(this.definition, {
      operation: call.operation,
      request: step.request,
      idempotencyKey: `${this.run.id}/${call.path}`,
      origin: { runId: this.run.id, step: call.path, epoch },
      signal: this.signal,
      mayStart: () => !this.signal.aborted && permission(),
    });
  }

  /** Takes note of what became of a call. False: the run ends or is no longer ours, nothing more is to be done. */
  private async settle(
    call: Call,
    step: StartedStep,
    result: Exclude<ToolCallResult, { kind: 'not_started' }>,
  ): Promise<boolean> {
    const { n } = step;
    if (result.kind === 'answered') {
      this.results.push({ n, state: 'succeeded', output: result.output, detail: result.detail });
      this.outcomes.set(call.path, { ok: true, output: result.output });
      return true;
    }
    const error: RunError = { code: result.code, message: result.message, step: call.stepId };
    const inDoubt = result.kind === 'unknown' && call.operation.effect === 'at_most_once';
    if (this.isTakenAway()) {
      this.results.push({ n, state: inDoubt ? 'in_doubt' : 'cancelled', error, detail: result.detail });
      return false;
    }
    this.results.push({ n, state: inDoubt ? 'in_doubt' : 'failed', error, detail: result.detail });
    if (inDoubt)
      return this.endWith({ ...error, code: 'in_doubt', message: `${error.message} Whether it happened is unknown.` });
    if (this.abortReason() === 'timeout') return this.endWith(this.timedOut());
    this.outcomes.set(call.path, { ok: false, error });
    return true;
  }

  private async endWith(error: RunError): Promise<false> {
    await this.finish({ status: 'failed', error });
    return false;
  }

  private timedOut(): RunError {
    return {
      code: 'timeout',
      message: `The run was active for longer than ${this.definition.limits.maxDurationMs} ms.`,
      step: null,
    };
  }

  private async finish(ending: Ending): Promise<void> {
    const op = randomUUID();
    const write = { ...this.takeRecords(), ending };
    await this.host.writes.insist(() => this.host.journal.finish(this.run, op, write));
  }

  private async release(): Promise<void> {
    const { results } = this.takeRecords();
    await this.host.writes.insist(() => this.host.journal.release(this.run, results));
  }

  private takeRecords(): { results: StepResult[]; notes: StepNote[] } {
    const records = { results: this.results, notes: this.notes };
    this.results = [];
    this.notes = [];
    return records;
  }
}

function runFacts(run: ClaimedRun, definition: CompiledDefinition) {
  return {
    input: run.input,
    trigger: run.trigger,
    run: { id: run.id, mode: run.mode, started_at: run.createdAt.toISOString(), initiator: run.initiator },
    agent: { id: run.agentId, name: definition.name, version: run.version },
  };
}

function simulatedOutput({ operation, request }: Call, run: ClaimedRun): JsonValue | ExpressionError {
  try {
    return operation.simulate?.evaluate({ request, input: run.input }) ?? SIMULATED_RESPONSE;
  } catch (error) {
    if (error instanceof ExpressionError) return error;
    throw error;
  }
}

function notedPaths(run: ClaimedRun): Set<string> {
  return new Set(run.steps.filter((step) => step.type !== 'tool_call').map((step) => step.path));
}

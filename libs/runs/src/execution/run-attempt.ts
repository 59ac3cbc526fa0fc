import { type CompiledDefinition, evaluationWork } from '@app/definition';
import { invariant } from '@app/kernel';
import { type AbortReason, abortedBy } from './active-runs.service.js';
import type { AttemptHost } from './attempt-host.js';
import { AttemptRecords, type RecordedSteps } from './attempt-records.js';
import { admitCall, approvedResult } from './call-admission.js';
import {
  CallsInFlight,
  callIntent,
  isOutbound,
  isWrite,
  retryNote,
  settledResult,
  stepIntent,
} from './step-records.js';
import { inDoubtGate } from './approval-gates.js';
import { Interpreter } from '../interpreter/interpreter.js';
import type {
  Ask,
  Call,
  CallbackRequest,
  CodeCall,
  Question,
  RunOutcome,
  Outbound,
  Wait,
} from '../interpreter/plan.js';
import type { RunError } from '../interpreter/run-error.js';
import type { RunContext } from '../interpreter/step-scope.js';
import { WORK_PER_TURN } from '../interpreter/work-meter.js';
import { UnknownCalls } from './unknown-calls.js';
import { OutboundCalls } from './outbound-calls.js';
import { knownAnswer, unawaitedCallback } from './known-answers.js';
import { approvalIntent, type GatedIntent, isWait, pauseOf, questionIntent, unaskedApproval } from './pauses.js';
import type { ClaimedRun, Gate, IntendedStep, StepNote } from '../records/run-commands.js';
import { isPartOfEvaluation } from '../records/evaluated-case.js';
import { runContext } from '../records/recorded-plan.js';
import { fileRunOf } from '../records/file-run.js';
import { RunFiles } from './run-files.js';
import { AttemptState } from '../records/attempt-state.js';
import { WaitingTime } from './waiting-time.js';
import type { TurnResult } from '../models/turn-call.js';

/**
 * Records an intent before each call and the result after the call. The result of a call and the intent of the next
 * call are committed together.
 */
export class RunAttempt {
  private readonly interpreter: Interpreter;
  private readonly context: RunContext;
  private readonly state: AttemptState;
  private readonly waiting: WaitingTime;
  private readonly inFlight = new CallsInFlight();
  private readonly gates = new Map<string, Gate>();
  private readonly admitted = new Set<string>();
  private pauses = 0;
  private readonly records: AttemptRecords;
  private readonly calls: OutboundCalls;
  private readonly unknownCalls: UnknownCalls;
  private readonly files: RunFiles;

  constructor(
    private readonly host: AttemptHost,
    private readonly run: ClaimedRun,
    private readonly definition: CompiledDefinition,
    private readonly signal: AbortSignal,
  ) {
    this.context = runContext(run, definition);
    this.state = new AttemptState(run);
    this.files = new RunFiles(host.files, run.workspaceId, fileRunOf(run));
    this.state.outcomes.onSeen = (output) => this.files.see(output);
    this.waiting = new WaitingTime(run.steps, definition.limits.maxWaitMs);
    this.records = new AttemptRecords(host, run, this.state.overdueWaits);
    const { outbound, privacy, released } = host;
    this.calls = new OutboundCalls(outbound, run, definition, this.context, privacy, { signal, released });
    const context = { run, definition, runContext: this.context, signal };
    this.unknownCalls = new UnknownCalls(context, this.state, this.records, this.calls);
    this.interpreter = new Interpreter(definition, this.context, this.state.recordedNotes, {
      now: () => host.activeRuns.now(),
      output: this.state.output,
      failures: this.state.failures,
      spentMicros: () => this.state.spentMicros,
      release: (path) => {
        this.state.release(path);
        this.calls.release(path);
      },
      requestOf: (path) => this.state.requestOf(path),
      callbackUrl: (path) => host.outbound.callbacks.recordedUrl(run.agentId, path),
      gave: (stepId, output) => host.store.onStepOutput?.(stepId, output),
      files: this.files,
    });
  }

  async carryOut(): Promise<void> {
    const { input, trigger, steps, mocks } = this.run;
    const values = [input, trigger, ...(mocks?.answersOfPeople ?? []), ...steps.map(({ output }) => output)];
    for (const value of values) this.files.see(value);
    await this.carryOutSteps();
    await this.inFlight.all();
    if (this.abortReason() === 'stopped' || this.records.hasResults) await this.records.yieldRun();
  }

  private async carryOutSteps(): Promise<void> {
    let more = true;
    while (more && !this.isTakenAway()) {
      await this.host.lease.retryWhileHeld(() => this.files.lookUp());
      const decision = this.interpreter.next(this.state.outcomes);
      this.records.addNotes(decision.notes);
      if (decision.kind === 'end') return this.endRun(decision.outcome);
      if (decision.kind === 'pause') {
        more = await this.yieldTurn();
        continue;
      }
      const fresh = decision.asks.filter((ask) => !this.inFlight.has(ask.path));
      if (this.settleAtOnce(fresh)) {
        await this.nextTurn();
        continue;
      }
      const exceeded = this.exceededLimit(fresh);
      if (exceeded) return this.endAtLimit(exceeded);
      more = await this.beginOrWait(fresh);
    }
  }

  /**
   * Writes the collected notes, so that they do not accumulate in memory, and lets other runs compute. Returns false if
   * this attempt is over.
   */
  private async yieldTurn(): Promise<boolean> {
    if (this.abortReason() === 'timeout') {
      await this.endAtLimit(this.timedOut());
      return false;
    }
    if (this.host.activeRuns.isDraining && this.inFlight.size === 0) {
      await this.records.yieldRun();
      return false;
    }
    if (this.records.hasNotes && !(await this.records.advance([]))) return false;
    await this.nextTurn();
    return true;
  }

  private nextTurn(): Promise<void> {
    this.pauses += 1;
    return this.host.turns.next(this.pauses);
  }

  /** Returns false if this attempt is over. */
  private async beginOrWait(asks: readonly Ask[]): Promise<boolean> {
    const { isDraining } = this.host.activeRuns;
    if (isDraining && this.inFlight.size === 0) {
      await this.records.yieldRun();
      return false;
    }
    if (!isDraining) this.beginCode(asks);
    const calls = isDraining ? [] : this.beginnable(asks);
    if (calls.length > 0) {
      if (!(await this.begin(calls))) return false;
    } else if (this.inFlight.size === 0) {
      return this.suspendWhenIdle(asks);
    } else if (this.records.hasResults && !(await this.records.advance([]))) {
      return false;
    }
    // If a result arrived during the write, the loop continues without waiting, so that the result is recorded first.
    if (!this.records.hasResults) await this.inFlight.next();
    return !this.records.isUrgent || (await this.records.advance([])) !== undefined;
  }

  /**
   * Returns true if the plan can continue, or if evaluating the policies has used up the work that is allowed between
   * two pauses.
   */
  private settleAtOnce(asks: readonly Ask[]): boolean {
    const before = evaluationWork().cost;
    let settled = false;
    for (const call of asks) {
      if (call.kind === 'wait') settled = this.skipDelay(call) || settled;
      if (call.kind === 'question' || call.kind === 'callback') settled = this.settleKnown(call) || settled;
      if (call.kind !== 'call' || call.try > 1 || this.gates.has(call.path) || this.admitted.has(call.path)) continue;
      const open = this.state.openStep(call.path);
      settled = (open ? this.settleOpen(call, open) : this.settleNew(call)) || settled;
      if (evaluationWork().cost - before > WORK_PER_TURN) return true;
    }
    return settled;
  }

  /** Returns false if the wait is not skipped. */
  private skipDelay({ path, isDelay }: Wait): boolean {
    if (!isDelay || !isPartOfEvaluation(this.run.trigger)) return false;
    this.records.addNotes([{ path, type: 'wait', state: 'simulated' }]);
    this.state.outcomes.set(path, { ok: true, output: null });
    return true;
  }

  private settleKnown(ask: Question | CallbackRequest): boolean {
    const known = this.state.openStep(ask.path) ? undefined : knownAnswer(this.run, ask, this.files);
    if (!known) return false;
    this.records.addNotes([known.note]);
    this.state.outcomes.set(ask.path, known.outcome);
    return true;
  }

  private settleNew(call: Call): boolean {
    const copy = this.state.copyAt(call.path);
    if (!copy && this.callsLeft <= 0) return false;
    const admission = admitCall(this.definition, this.run, call, this.context, copy);
    if (admission.kind === 'gate') this.gates.set(call.path, admission.gate);
    if (admission.kind === 'begin') this.admitted.add(call.path);
    if (admission.kind === 'copied') this.state.useCopy(call.path, admission.copy);
    if (admission.kind !== 'settled') return admission.kind === 'copied';
    this.records.addNotes([admission.note]);
    this.state.settled(call.path, admission.outcome);
    return true;
  }

  private settleOpen(call: Call, open: { n: number; state: string }): boolean {
    if (open.state !== 'ready') return false;
    const copy = this.state.copyAt(call.path);
    const approved = approvedResult(this.definition, this.run, this.state.asRecorded(call), this.context, copy);
    if (!approved) return false;
    this.records.addResult({ n: open.n, ...approved.result });
    this.state.settled(call.path, approved.outcome);
    return true;
  }

  /** Adds the `error` note, because the interpreter does not know these limits. */
  private endAtLimit(error: RunError): Promise<void> {
    this.records.addNotes([{ type: 'error', path: '', state: 'failed', detail: { ...error } }]);
    return this.endRun({ status: 'failed', error });
  }

  /**
   * A run that has used all its steps may still wait for the result of a call that was made, for a point in time, or
   * for an approval.
   */
  private exceededLimit(asks: readonly Ask[]): RunError | undefined {
    const { maxSteps } = this.definition.limits;
    if (this.abortReason() === 'timeout') return this.timedOut();
    if (this.callsLeft > 0 || !asks.some((ask) => ask.kind === 'code' || (isOutbound(ask) && this.isToBegin(ask))))
      return undefined;
    const message = `The run reached its limit of ${maxSteps} steps (\`limits.max_steps\`).`;
    return { code: 'step_limit', message, step: null };
  }

  private timedOut(): RunError {
    const message = `The run was active for longer than ${this.definition.limits.maxDurationMs} ms (\`limits.max_duration\`).`;
    return { code: 'timeout', message, step: null };
  }

  private get callsLeft(): number {
    return this.definition.limits.maxSteps - this.state.callsMade;
  }

  private beginCode(asks: readonly Ask[]): void {
    const code = asks.filter((ask) => ask.kind === 'code');
    for (const call of code.slice(0, Math.max(0, this.callsLeft))) {
      this.state.callsMade += 1;
      this.inFlight.addWork(call.path, this.executeCode(call));
    }
  }

  private async executeCode(call: CodeCall): Promise<void> {
    try {
      const { outcome, note } = await this.host.code.executeCode(call, this.run.workspaceId, this.signal);
      this.state.outcomes.set(call.path, outcome);
      const { output = null, request = null, detail } = note;
      const millis = typeof detail?.duration_ms === 'number' ? detail.duration_ms : 0;
      this.records.addCode(note, JSON.stringify([output, request]).length, millis);
    } catch (error) {
      // Only that execution counts as a step.
      this.state.callsMade -= 1;
      if (!this.signal.aborted) throw error;
    }
  }

  private beginnable(asks: readonly Ask[]): Outbound[] {
    const calls = asks.filter(isOutbound).filter((call) => this.mayBegin(call));
    const reads = calls.filter((call) => !isWrite(call));
    const write = this.inFlight.hasWrite ? undefined : calls.find(isWrite);
    return (write ? [...reads, write] : reads).slice(0, Math.max(0, this.callsLeft));
  }

  private mayBegin(call: Outbound): boolean {
    if (!this.isToBegin(call)) return false;
    const isOpen = this.state.openStep(call.path) !== undefined;
    return isOpen || (!this.gates.has(call.path) && this.state.isDue(call));
  }

  private isToBegin(call: Outbound): boolean {
    const state = this.state.openStep(call.path)?.state;
    if (this.state.isPending(call.path)) return false;
    if (call.kind === 'call' && this.unknownCalls.hasUnknownOutcome(call)) return false;
    return state === undefined || state === 'ready' || state === 'interrupted';
  }

  /** Returns false if this attempt is over. */
  private async begin(calls: readonly Outbound[]): Promise<boolean> {
    this.records.addNotes(calls.flatMap((call) => retryNote(call, this.state) ?? []));
    const begun = await this.records.advance(calls.map((call) => stepIntent(call, this.state)));
    if (!begun) return false;
    for (const step of begun.steps) {
      const call = calls.find((candidate) => candidate.path === step.path);
      invariant(call, `an intent was recorded under the path ${step.path}`);
      if (step.state === 'started') this.inFlight.add(call, this.make(call, step, begun));
      else this.state.adopt(step);
    }
    return true;
  }

  private async make(call: Outbound, step: IntendedStep, begun: RecordedSteps): Promise<void> {
    this.state.begun(call.path, step.request);
    this.settle(call, step, await this.calls.makeCall(call, step, begun));
  }

  private settle(call: Outbound, step: IntendedStep, result: TurnResult): void {
    if (result.kind === 'pending') this.state.leftPending(call.path);
    const settled = settledResult(call, step, result, abortedBy(this.signal));
    this.records.addResult(settled);
    this.state.paid(settled.cost, this.definition.limits.budget?.currency);
    if (settled.state === 'succeeded') this.state.succeeded(call.path, { ok: true, output: settled.output ?? null });
    else if (settled.state === 'failed' && settled.error) this.state.failed(call.path, settled.error, step.try);
    else this.state.leftOpen(call.path, step.n, settled.state);
  }

  /**
   * If the outcome of a call is unknown, tries to find it out. Otherwise asks a person, or suspends or ends the run.
   * Returns false if this attempt is over.
   */
  private async suspendWhenIdle(asks: readonly Ask[]): Promise<boolean> {
    const lost = asks.find((ask): ask is Call => ask.kind === 'call' && this.unknownCalls.hasUnknownOutcome(ask));
    if (lost) return this.resolveUnknownCall(lost);
    const gated = asks.map((ask) => this.gatedIntent(ask)).find((intent) => intent !== undefined);
    const { exceeded } = this.waiting;
    if (exceeded && (gated || asks.some(isWait))) {
      await this.endAtLimit(exceeded);
      return false;
    }
    if (gated) return this.askPeople(this.waiting.limited(gated));
    const callback = this.run.mocks?.isTrial && asks.find((ask) => ask.kind === 'callback');
    if (callback) return this.endUnasked(unawaitedCallback(callback));
    const { intents, pauseMs } = pauseOf(asks, this.state, this.waiting.leftMs);
    return this.adoptSteps(await this.records.advance(intents, pauseMs));
  }

  private async askPeople(intent: GatedIntent): Promise<boolean> {
    if (!this.run.mocks?.isTrial) return this.adoptSteps(await this.records.advance([intent]));
    return this.endUnasked(unaskedApproval(intent));
  }

  private async endUnasked({ note, outcome }: { note: StepNote; outcome: RunOutcome }): Promise<boolean> {
    this.records.addNotes([note]);
    await this.endRun(outcome);
    return false;
  }

  private gatedIntent(ask: Ask): GatedIntent | undefined {
    if (ask.kind === 'approval') return approvalIntent(this.definition, ask);
    if (ask.kind === 'question') return questionIntent(this.definition, ask);
    const gate = this.gates.get(ask.path);
    return ask.kind === 'call' && gate ? { ...callIntent(ask, this.state), gate } : undefined;
  }

  /** If that is impossible, asks a person for the outcome. */
  private async resolveUnknownCall(call: Call): Promise<boolean> {
    if (this.unknownCalls.canAsk(call)) return this.unknownCalls.askTool(call);
    const gate = inDoubtGate(this.definition, this.unknownCalls.asSent(call));
    return this.adoptSteps(await this.records.advance([{ ...callIntent(call, this.state), gate }]));
  }

  private adoptSteps(recorded: { steps: IntendedStep[] } | undefined): boolean {
    for (const step of recorded?.steps ?? []) this.state.adopt(step);
    return recorded !== undefined;
  }

  private async endRun(outcome: RunOutcome): Promise<void> {
    await this.inFlight.all();
    this.host.onOutcome();
    await this.records.endRun(outcome);
  }

  private isTakenAway(): boolean {
    return abortedBy(this.signal) !== undefined;
  }

  private abortReason(): AbortReason | undefined {
    return this.signal.reason as AbortReason | undefined;
  }
}

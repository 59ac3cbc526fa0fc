import { type CompiledDefinition, evaluationWork } from '@app/definition';
import { invariant } from '@app/kernel';
import { type AbortReason, type ActiveRuns, takenAwayBy } from './active-runs.js';
import { AttemptRecords, type Recorded } from './attempt-records.js';
import { admit, isSimulated, simulatedOutcome } from './call-admission.js';
import type { ComputingTurns } from './computing-turns.js';
import { CallsInFlight } from './calls-in-flight.js';
import { doubtGate } from './gates.js';
import { Interpreter } from '../interpreter/interpreter.js';
import type { Ask, Call, RunOutcome, Outbound } from '../interpreter/plan.js';
import type { RunError } from '../interpreter/run-error.js';
import type { RunContext } from '../interpreter/step-scope.js';
import { WORK_PER_TURN } from '../interpreter/work-meter.js';
import { callIntent, isOutbound, isWrite, retryNote, settledResult, stepIntent } from './step-records.js';
import { LostCalls } from './lost-calls.js';
import { OutboundCalls, type OutboundPorts } from './outbound-calls.js';
import { approvalIntent, type GatedIntent, pauseOf, unaskedApproval } from './pauses.js';
import type { ClaimedRun, Gate, IntendedStep } from '../records/run-commands.js';
import { runContext } from '../records/recorded-plan.js';
import type { AttemptStore } from '../privacy/private-run-store.js';
import { AttemptState } from '../records/attempt-state.js';
import { WaitingTime } from './waiting-time.js';
import type { TurnResult } from '../models/turn-call.js';
import type { WorkerLease } from './worker-lease.service.js';

/** What an attempt needs from the process that it runs in. */
export interface AttemptHost {
  store: AttemptStore;
  outbound: OutboundPorts;
  lease: WorkerLease;
  activeRuns: Pick<ActiveRuns, 'isDraining' | 'now'>;
  turns: ComputingTurns;
  /** Told when all that is left to do is to write down how the run ended. */
  ending: () => void;
}

/**
 * One worker carrying out one claimed run, from what is recorded to its end or to the point where it has to let go.
 * Intent before a call, result after it; the result of one call and the intent of the next share a commit.
 */
export class RunAttempt {
  private readonly interpreter: Interpreter;
  private readonly facts: RunContext;
  private readonly memory: AttemptState;
  private readonly waiting: WaitingTime;
  private readonly inFlight = new CallsInFlight();
  private readonly gates = new Map<string, Gate>();
  /** Paths of calls that policies allow and that have not begun yet. */
  private readonly admitted = new Set<string>();
  private pauses = 0;
  private readonly records: AttemptRecords;
  private readonly calls: OutboundCalls;
  private readonly lostCalls: LostCalls;

  constructor(
    private readonly host: AttemptHost,
    private readonly run: ClaimedRun,
    private readonly definition: CompiledDefinition,
    private readonly signal: AbortSignal,
  ) {
    this.facts = runContext(run, definition);
    this.memory = new AttemptState(run);
    this.waiting = new WaitingTime(run.steps, definition.limits.maxWaitMs);
    this.records = new AttemptRecords(host, run, this.memory.overdueWaits);
    this.calls = new OutboundCalls(host.outbound, run, definition, this.facts, signal);
    const context = { run, definition, facts: this.facts, signal };
    this.lostCalls = new LostCalls(context, this.memory, this.records, this.calls);
    this.interpreter = new Interpreter(definition, this.facts, this.memory.noted, {
      now: () => host.activeRuns.now(),
      output: this.memory.output,
      spentMicros: () => this.memory.spentMicros,
      gave: (stepId, output) => host.store.gave?.(stepId, output),
    });
  }

  async carryOut(): Promise<void> {
    await this.goOn();
    await this.inFlight.all();
    // The run was taken away during calls: what became of them belongs into its trace, and if it is still ours it goes back.
    if (this.abortReason() === 'stopped' || this.records.hasResults) await this.records.release();
  }

  private async goOn(): Promise<void> {
    let more = true;
    while (more && !this.isTakenAway()) {
      const decision = this.interpreter.next(this.memory.outcomes);
      this.records.addNotes(decision.notes);
      if (decision.kind === 'end') return this.end(decision.outcome);
      if (decision.kind === 'pause') {
        more = await this.giveUpTurn();
        continue;
      }
      const fresh = decision.asks.filter((ask) => !this.inFlight.has(ask.path));
      if (this.settleAtOnce(fresh)) {
        await this.nextTurn();
        continue;
      }
      const exceeded = this.exceededLimit(fresh);
      if (exceeded) return this.endAtLimit(exceeded);
      more = await this.move(fresh);
    }
  }

  /** Between two pieces of computing. What it noted is written, so that it does not fill the memory. */
  private async giveUpTurn(): Promise<boolean> {
    if (this.abortReason() === 'timeout') {
      await this.endAtLimit(this.timedOut());
      return false;
    }
    if (this.host.activeRuns.isDraining && this.inFlight.size === 0) {
      await this.records.release();
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

  /** Begins what may begin, and waits for the next result. False: there is nothing more for this attempt to do. */
  private async move(asks: readonly Ask[]): Promise<boolean> {
    const { isDraining } = this.host.activeRuns;
    if (isDraining && this.inFlight.size === 0) {
      await this.records.release();
      return false;
    }
    const calls = isDraining ? [] : this.beginnable(asks);
    if (calls.length > 0) {
      if (!(await this.begin(calls))) return false;
    } else if (this.inFlight.size === 0) {
      return this.pause(asks);
    } else if (this.records.hasResults && !(await this.records.advance([]))) {
      return false;
    }
    // A result that came in during the write is neither left unrecorded nor kept from the plan while others go on.
    if (!this.records.hasResults) await this.inFlight.next();
    return true;
  }

  /**
   * Takes note of outcomes that need no call: denied by a policy, or simulated. True when there was any, or when judging the
   * calls took so long that the others have to wait for the next turn.
   */
  private settleAtOnce(asks: readonly Ask[]): boolean {
    const before = evaluationWork().cost;
    let settled = false;
    for (const call of asks) {
      if (call.kind !== 'call' || call.try > 1 || this.gates.has(call.path) || this.admitted.has(call.path)) continue;
      const open = this.memory.openStep(call.path);
      settled = (open ? this.settleOpen(call, open) : this.settleNew(call)) || settled;
      if (evaluationWork().cost - before > WORK_PER_TURN) return true;
    }
    return settled;
  }

  private settleNew(call: Call): boolean {
    if (this.callsLeft <= 0) return false;
    const admission = admit(this.definition, this.run, call, this.facts);
    if (admission.kind === 'gate') this.gates.set(call.path, admission.gate);
    if (admission.kind === 'begin') this.admitted.add(call.path);
    if (admission.kind !== 'settled') return false;
    this.records.addNotes([admission.note]);
    this.memory.settled(call.path, admission.outcome);
    return true;
  }

  /** An approved write of a run in mode `test` is simulated all the same. */
  private settleOpen(call: Call, open: { n: number; state: string }): boolean {
    if (open.state !== 'ready' || !isSimulated(this.run.mode, call)) return false;
    const outcome = simulatedOutcome(this.memory.asRecorded(call), this.facts);
    this.records.addResult(
      outcome.ok
        ? { n: open.n, state: 'simulated', output: outcome.output }
        : { n: open.n, state: 'failed', error: outcome.error },
    );
    this.memory.settled(call.path, outcome);
    return true;
  }

  /** The trace says why, as for every other failure; the plan does not know of limits. */
  private endAtLimit(error: RunError): Promise<void> {
    this.records.addNotes([{ type: 'error', path: '', state: 'failed', detail: { ...error } }]);
    return this.end({ status: 'failed', error });
  }

  /** A run that has made all of its calls may still wait for those under way, for a time and for people. */
  private exceededLimit(asks: readonly Ask[]): RunError | undefined {
    const { maxSteps } = this.definition.limits;
    if (this.abortReason() === 'timeout') return this.timedOut();
    if (this.callsLeft > 0 || !asks.some((ask) => isOutbound(ask) && this.isToBegin(ask))) return undefined;
    return { code: 'step_limit', message: `The run reached its limit of ${maxSteps} steps.`, step: null };
  }

  private timedOut(): RunError {
    const message = `The run was active for longer than ${this.definition.limits.maxDurationMs} ms.`;
    return { code: 'timeout', message, step: null };
  }

  private get callsLeft(): number {
    return this.definition.limits.maxSteps - this.memory.callsMade;
  }

  /** Reads may overlap; of writes one begins when none is under way. */
  private beginnable(asks: readonly Ask[]): Outbound[] {
    const calls = asks.filter(isOutbound).filter((call) => this.mayBegin(call));
    const reads = calls.filter((call) => !isWrite(call));
    const write = this.inFlight.hasWrite ? undefined : calls.find(isWrite);
    return (write ? [...reads, write] : reads).slice(0, Math.max(0, this.callsLeft));
  }

  private mayBegin(call: Outbound): boolean {
    if (!this.isToBegin(call)) return false;
    const isOpen = this.memory.openStep(call.path) !== undefined;
    return isOpen || (!this.gates.has(call.path) && this.memory.isDue(call));
  }

  /** Whether the call is to be made, now or when its time has come, as far as is known. */
  private isToBegin(call: Outbound): boolean {
    const state = this.memory.openStep(call.path)?.state;
    if (this.memory.isPending(call.path)) return false;
    if (call.kind === 'call' && this.lostCalls.isUnclear(call)) return false;
    return state === undefined || state === 'ready' || state === 'interrupted';
  }

  /** Records the intents and makes the calls. False: the run is no longer ours to work on. */
  private async begin(calls: readonly Outbound[]): Promise<boolean> {
    this.records.addNotes(calls.flatMap((call) => retryNote(call, this.memory) ?? []));
    const begun = await this.records.advance(calls.map((call) => stepIntent(call, this.memory)));
    if (!begun) return false;
    for (const step of begun.steps) {
      const call = calls.find((candidate) => candidate.path === step.path);
      invariant(call, `an intent was recorded under the path ${step.path}`);
      if (step.state === 'started') this.inFlight.add(call, this.make(call, step, begun));
      else this.memory.adopt(step);
    }
    return true;
  }

  private async make(call: Outbound, step: IntendedStep, begun: Recorded): Promise<void> {
    this.memory.begun(call.path, step.request);
    this.settle(call, step, await this.calls.make(call, step, begun));
  }

  private settle(call: Outbound, step: IntendedStep, result: TurnResult): void {
    if (result.kind === 'pending') this.memory.leftPending(call.path);
    const settled = settledResult(call, step, result, takenAwayBy(this.signal));
    this.records.addResult(settled);
    this.memory.paid(settled.cost, this.definition.limits.budget?.currency);
    if (settled.state === 'succeeded') this.memory.succeeded(call.path, { ok: true, output: settled.output ?? null });
    else if (settled.state === 'failed' && settled.error) this.memory.failed(call.path, settled.error, step.try);
    else this.memory.leftOpen(call.path, step.n, settled.state);
  }

  /** Nothing can begin and nothing is under way: find out about a lost call, ask a person, or let time pass. */
  private async pause(asks: readonly Ask[]): Promise<boolean> {
    const lost = asks.find((ask): ask is Call => ask.kind === 'call' && this.lostCalls.isUnclear(ask));
    if (lost) return this.findOut(lost);
    const gated = asks.map((ask) => this.gatedIntent(ask)).find((intent) => intent !== undefined);
    const { exceeded } = this.waiting;
    if (exceeded && (gated || asks.some(({ kind }) => kind === 'wait'))) {
      await this.endAtLimit(exceeded);
      return false;
    }
    if (gated) return this.ask(this.waiting.limited(gated));
    const { intents, pauseMs } = pauseOf(asks, this.memory, this.waiting.leftMs);
    return this.goOnWith(await this.records.advance(intents, pauseMs));
  }

  /** Asks people; a run of an evaluation asks nobody and ends here. */
  private async ask(intent: GatedIntent): Promise<boolean> {
    if (!this.run.mocks) return this.goOnWith(await this.records.advance([intent]));
    const { note, outcome } = unaskedApproval(intent);
    this.records.addNotes([note]);
    await this.end(outcome);
    return false;
  }

  private gatedIntent(ask: Ask): GatedIntent | undefined {
    if (ask.kind === 'approval') return approvalIntent(this.definition, ask);
    const gate = this.gates.get(ask.path);
    return ask.kind === 'call' && gate ? { ...callIntent(ask, this.memory), gate } : undefined;
  }

  /** Asks the tool what became of a call, and people where it cannot tell and the call must not be made again. */
  private async findOut(call: Call): Promise<boolean> {
    if (this.lostCalls.canAsk(call)) return this.lostCalls.ask(call);
    const gate = doubtGate(this.definition, this.lostCalls.lost(call));
    return this.goOnWith(await this.records.advance([{ ...callIntent(call, this.memory), gate }]));
  }

  /** Adopts results that came in meanwhile for steps that were to be resumed. */
  private goOnWith(recorded: { steps: IntendedStep[] } | undefined): boolean {
    for (const step of recorded?.steps ?? []) this.memory.adopt(step);
    return recorded !== undefined;
  }

  private async end(outcome: RunOutcome): Promise<void> {
    await this.inFlight.all();
    this.host.ending();
    await this.records.end(outcome);
  }

  private isTakenAway(): boolean {
    return takenAwayBy(this.signal) !== undefined;
  }

  private abortReason(): AbortReason | undefined {
    return this.signal.reason as AbortReason | undefined;
  }
}

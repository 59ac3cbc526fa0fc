import type { Advance, Gate, StepIntent, StepResult } from '../../libs/runs/src/records/run-commands.js';
import { hasEnded, type RunStatus } from '../../libs/runs/src/records/run-status.js';
import type { StepState } from '../../libs/runs/src/records/run-step.entity.js';
import {
  consequenceOf,
  type Decision,
  isAllowed,
  isSaidAgain,
  type ModelApproval,
  stateAfter,
  stateOfQuestion,
  statusAfter,
} from './approval-model.js';
import { isAnswered, type ModelStep } from './step-model.js';

/** Maximum number of recoveries. A run that loses its worker once more fails. */
export const MAX_RECOVERIES = 4;

/**
 * Model of one run and its workspace. Each method returns the result of an operation and applies its effect. The SQL
 * functions are compared with this model, so change the model first when you change a function.
 */
export class RunModel {
  status: RunStatus = 'queued';
  attempt = 0;
  owner: string | null = null;
  recoveries = 0;
  wake: 'due' | 'later' | 'held' | null = 'due';
  stopped = false;
  /** Counts the stops and resumes of the workspace, from 1. A repeated stop does not count. */
  epoch = 1;
  readonly steps: ModelStep[] = [];
  readonly approvals: ModelApproval[] = [];
  /** Workers whose lease is valid. */
  readonly alive = new Set<string>();
  private claimOp: string | null = null;
  private lastOp: string | null = null;

  get openApproval(): ModelApproval | undefined {
    return this.approvals.find((approval) => approval.status === 'open');
  }

  get hasEnded(): boolean {
    return hasEnded(this.status);
  }

  claim(worker: string, op: string): boolean {
    if (this.status === 'queued' && this.wake === 'due' && !this.stopped && this.alive.has(worker)) {
      this.status = 'running';
      this.attempt += 1;
      this.owner = worker;
      this.wake = null;
      this.claimOp = op;
    }
    return this.status === 'running' && this.owner === worker && this.claimOp === op;
  }

  advance(attempt: number, op: string, write: Advance): { verdict: string; steps?: ModelStep[] } {
    const repeated = this.lastOp === op;
    if (!repeated) this.recordResults(attempt, write.results);
    if (!this.isOwnedUnder(attempt)) {
      const wasPaused = repeated && this.attempt === attempt && this.status !== 'cancelled';
      return { verdict: wasPaused ? 'paused' : this.refusal() };
    }
    if (this.stopped) {
      this.hold(op);
      return { verdict: 'stopped' };
    }
    if (!repeated) {
      for (const note of write.notes) this.append({ ...note, op });
      for (const intent of write.intents) this.intend(intent, op);
      this.lastOp = op;
      if (this.letGo(write.pauseMs)) return { verdict: 'paused' };
    }
    return { verdict: 'ok', steps: this.steps.filter((step) => isAnswered(step, op, write.intents)) };
  }

  finish(attempt: number, op: string, results: readonly StepResult[], status: 'succeeded' | 'failed'): string {
    if (this.lastOp === op) return 'ok';
    this.recordResults(attempt, results);
    if (!this.isOwnedUnder(attempt)) return this.refusal();
    this.append({ path: 'result', type: 'output', state: 'succeeded', op });
    this.lastOp = op;
    this.end(status);
    return 'ok';
  }

  release(attempt: number, results: readonly StepResult[]): string {
    this.recordResults(attempt, results);
    if (!this.isOwnedUnder(attempt)) return this.refusal();
    this.giveBack();
    return 'released';
  }

  /**
   * Recovers the run after its worker was lost. Of the open calls, a write that must not be repeated becomes in doubt.
   * Any other call may be repeated.
   */
  recover(): string {
    if (this.status !== 'running' || this.alive.has(this.owner ?? '')) return 'noop';
    for (const step of this.inState('started')) {
      step.state = step.effect === 'at_most_once' ? 'in_doubt' : 'interrupted';
    }
    if (this.recoveries === MAX_RECOVERIES) {
      this.append({ path: '', type: 'error', state: 'failed', op: null });
      this.end('failed');
      return 'failed';
    }
    this.recoveries += 1;
    this.giveBack();
    return 'requeued';
  }

  cancel(): string {
    if (this.status === 'cancelled') return 'already_cancelled';
    if (this.hasEnded) return 'ended';
    this.append({ path: '', type: 'cancelled', state: 'succeeded', op: null });
    this.end('cancelled');
    return 'cancelled';
  }

  decide(approval: ModelApproval, decision: Decision, by: string, edited: object | null): string {
    if (this.expire(approval)) return 'closed';
    if (isSaidAgain(approval, decision, by)) return 'repeated';
    if (approval.status !== 'open') return 'closed';
    if (!isAllowed(approval, decision)) return 'not_allowed';
    if (this.stopped && decision !== 'reject' && decision !== 'mark_failed') return 'stopped';
    if (edited) {
      approval.request = this.step(approval.n).request = edited;
      approval.decisions = [];
    }
    approval.decisions.push({ by, decision });
    const agrees = decision === 'approve' || decision === 'edit';
    if (agrees && approval.decisions.length < approval.gate.rule.required) return 'recorded';
    this.close(approval, statusAfter(decision), decision);
    return 'decided';
  }

  /**
   * Expires the approval if its time limit has passed. Returns true if it has expired. An approval does not expire
   * while the workspace is stopped.
   */
  expire(approval: ModelApproval): boolean {
    if (!this.isDue(approval)) return false;
    this.close(approval, 'expired', 'expire');
    return true;
  }

  isDue(approval: ModelApproval): boolean {
    return approval.status === 'open' && approval.overdue && !this.stopped;
  }

  stop(): number {
    if (!this.stopped) this.epoch += 1;
    this.stopped = true;
    return this.epoch;
  }

  resume(): boolean {
    if (!this.stopped) return false;
    this.stopped = false;
    this.epoch += 1;
    return true;
  }

  wakeHeld(): number {
    if (this.stopped || this.wake !== 'held') return 0;
    if (this.steps.at(-1)?.type === 'stopped') this.append({ path: '', type: 'resumed', state: 'succeeded', op: null });
    this.wake = 'due';
    return 1;
  }

  parkHeld(): number {
    if (!this.stopped || this.wake !== 'due') return 0;
    this.wake = 'held';
    return 1;
  }

  passTime(): void {
    for (const step of this.inState('waiting')) step.due = true;
    if (this.wake === 'later') this.wake = 'due';
  }

  step(n: number): ModelStep {
    const step = this.steps.find((candidate) => candidate.n === n);
    if (!step) throw new Error(`the model has no step ${n}`);
    return step;
  }

  inState(...states: StepState[]): ModelStep[] {
    return this.steps.filter((step) => states.includes(step.state));
  }

  /**
   * Epoch of new steps. No step begins during a stop, so a step that is added during a stop has the epoch from before
   * the stop.
   */
  private get lastActiveEpoch(): number {
    return this.stopped ? this.epoch - 1 : this.epoch;
  }

  private isOwnedUnder(attempt: number): boolean {
    return this.status === 'running' && this.attempt === attempt;
  }

  private refusal(): string {
    return this.status === 'cancelled' ? 'cancelled' : 'fenced';
  }

  /**
   * Records results of calls. The worker that made a call may report its result while the call is open or in doubt. The
   * current owner of the run may also report on any call that is in doubt or not sent yet (`ready`).
   */
  private recordResults(attempt: number, results: readonly StepResult[]): void {
    for (const { n, state } of results) {
      const step = this.step(n);
      const itsOwnCall = step.attempt === attempt && ['started', 'in_doubt'].includes(step.state);
      const settlesQuestion = ['in_doubt', 'ready'].includes(step.state) && this.isOwnedUnder(attempt);
      if (!itsOwnCall && !settlesQuestion && step.state !== 'waiting') continue;
      step.state = state === 'ready' && this.hasEnded ? 'cancelled' : state;
    }
    const question = this.openApproval;
    if (question?.gate.kind === 'in_doubt' && this.step(question.n).state !== 'in_doubt') {
      question.status = 'cancelled';
      for (const step of this.inState('awaiting_approval')) step.state = 'cancelled';
      this.status = 'queued';
      this.wake = 'due';
    }
  }

  private intend(intent: StepIntent, op: string): void {
    if (intent.type === 'approval') {
      this.append({ path: intent.path, type: 'approval', state: 'awaiting_approval', op });
      this.ask(intent.gate, this.steps.length + 1);
    } else if (intent.type === 'wait') {
      this.append({ path: intent.path, type: 'wait', state: 'waiting', op });
    } else if (intent.resumes !== undefined) {
      this.resumeStep(this.step(intent.resumes), intent.gate, op);
    } else {
      if (intent.gate)
        this.append({ path: `${intent.path}#approval`, type: 'approval', state: 'awaiting_approval', op });
      this.append({ ...intent, state: intent.gate ? 'awaiting_approval' : 'started', op });
      if (intent.gate) this.ask(intent.gate, this.steps.length + 1);
    }
  }

  /**
   * Continues an open step, or asks the given question about its call. Asks only if the call is still in doubt, because
   * its result may have arrived in the meantime.
   */
  private resumeStep(step: ModelStep, question: Gate | undefined, op: string): void {
    if (step.state === 'in_doubt' && question) {
      this.append({ path: `${step.path}#in_doubt`, type: 'in_doubt', state: 'awaiting_approval', op });
      this.ask(question, step.n);
    } else if (step.state === 'ready' && !question) {
      Object.assign(step, { state: 'started', attempt: this.attempt, epoch: this.epoch, op });
    } else if (step.state === 'interrupted' && !question) {
      this.append({ ...step, try: step.try + 1, state: 'started', op });
    }
  }

  private ask(gate: Gate, n: number): void {
    this.approvals.push({ gate, n, status: 'open', request: this.step(n).request, decisions: [], overdue: false });
  }

  private letGo(pauseMs: number | undefined): boolean {
    if (this.openApproval) {
      this.status = 'waiting_approval';
      this.owner = null;
      return true;
    }
    if (pauseMs === undefined) return false;
    this.requeue(this.inState('waiting').some((step) => step.due) ? 'due' : 'later');
    return true;
  }

  /**
   * Handles an advance (a write that begins calls) during a stop. `op` identifies the advance. If the worker sent this
   * advance before but lost the response, the worker has not sent the calls of the advance yet. Suspends the run unless
   * the worker has other open calls.
   */
  private hold(op: string): void {
    for (const step of this.inState('started')) if (step.op === op) step.state = 'ready';
    if (!this.inState('started').some((step) => step.attempt === this.attempt)) this.suspend();
  }

  /** Releases a running run. The run becomes due again. If its workspace is stopped, the run is suspended instead. */
  private giveBack(): void {
    if (this.stopped) this.suspend();
    else this.requeue('due');
  }

  /** Suspends a running run during a stop. Adds a step to its trace. A run that only waits gets no such step. */
  private suspend(): void {
    this.append({ path: '', type: 'stopped', state: 'succeeded', op: null });
    this.requeue('held');
  }

  private requeue(wake: 'due' | 'later' | 'held'): void {
    this.status = 'queued';
    this.owner = null;
    this.wake = wake;
  }

  private close(approval: ModelApproval, status: 'approved' | 'rejected' | 'expired', how: Decision | 'expire'): void {
    approval.status = status;
    const consequence = consequenceOf(approval.gate, how);
    const subject = this.step(approval.n);
    if (approval.gate.kind !== 'step') subject.state = stateAfter(how, approval.gate.kind, consequence);
    for (const step of this.inState('awaiting_approval')) step.state = stateOfQuestion(how, consequence);
    if (consequence === 'fail') {
      this.append({ path: '', type: 'error', state: 'failed', op: null });
      this.end('failed');
    } else if (consequence === 'hand_off') {
      this.append({ path: subject.path, type: 'hand_off', state: 'succeeded', op: null });
      this.end('handed_off');
    } else {
      this.requeue(this.stopped ? 'held' : 'due');
    }
  }

  private end(status: RunStatus): void {
    for (const step of this.inState('awaiting_approval', 'ready', 'waiting')) step.state = 'cancelled';
    if (this.openApproval) this.openApproval.status = 'cancelled';
    this.status = status;
    this.owner = null;
    this.wake = null;
  }

  private append(step: Pick<ModelStep, 'path' | 'type' | 'state' | 'op'> & Partial<ModelStep>): void {
    const { path, type, state, op, effect = null, request = null } = step;
    const where = { n: this.steps.length + 2, attempt: this.attempt, epoch: this.lastActiveEpoch };
    this.steps.push({ ...where, path, try: step.try ?? 1, type, effect, state, op, request, due: false });
  }
}

import type { JsonObject, JsonValue } from '@app/kernel';
import { type Call, isNoteType, type Outbound, type Outcome, stepOf } from '../interpreter/plan.js';
import type { CallError } from '../interpreter/run-error.js';
import type { CopiedCall } from './recorded-calls.js';
import { SeenOutcomes } from './seen-outcomes.js';
import type { ClaimedRun, IntendedStep, RecordedStep, StepResult, TurnCost } from './run-commands.js';

export class AttemptState {
  readonly outcomes = new SeenOutcomes();
  readonly recordedNotes = new Set<string>();
  readonly failures = new Map<string, JsonObject>();
  /** The attempt must record these results. */
  readonly overdueWaits: StepResult[] = [];
  output: JsonValue = null;
  /**
   * A call that was aborted, reset or postponed counts only when it is made again. Reconciliations of calls with an unknown
   * outcome do not count.
   */
  callsMade = 0;
  /** The known cost of the run, in millionths of its currency. */
  spentMicros = 0n;
  /** They have no outcome until {@link useCopy}, because the policies must judge them first. */
  private readonly copies = new Map<string, CopiedCall>();
  /** This attempt resumes them or waits for them. */
  private readonly open = new Map<string, { n: number; state: RecordedStep['state'] }>();
  private readonly failedNow = new Set<string>();
  /** Paths of the calls that the receiver is still processing. This run attempt does not make these calls again. */
  private readonly pending = new Set<string>();
  private readonly requests = new Map<string, JsonObject>();

  constructor(run: Pick<ClaimedRun, 'steps'>) {
    for (const step of run.steps) this.recall(step);
  }

  openStep(path: string): { n: number; state: RecordedStep['state'] } | undefined {
    return this.open.get(path);
  }

  copyAt(path: string): CopiedCall | undefined {
    return this.copies.get(path);
  }

  /** The call counts as a step since it was copied. */
  useCopy(path: string, { outcome }: CopiedCall): void {
    this.outcomes.set(path, outcome);
  }

  /**
   * A person may have approved a request that differs from the request of the plan. All later attempts and the
   * reconciliation of the call use the approved request.
   */
  asRecorded(call: Call): Call {
    const request = this.requestOf(call.path);
    return request ? { ...call, request } : call;
  }

  requestOf(path: string): JsonObject | undefined {
    return this.requests.get(path);
  }

  /** If the call failed during an earlier run attempt, it does not wait. */
  isDue({ path, delayMs }: Outbound): boolean {
    return delayMs === 0 || !this.failedUnderThisAttempt(path);
  }

  failedUnderThisAttempt(path: string): boolean {
    return this.failedNow.has(path);
  }

  begun(path: string, request: JsonObject): void {
    this.requests.set(path, request);
    this.open.delete(path);
    this.failedNow.delete(path);
    this.callsMade += 1;
  }

  leftPending(path: string): void {
    this.pending.add(path);
  }

  isPending(path: string): boolean {
    return this.pending.has(path);
  }

  /** The call counts as a step like any other call. */
  settled(path: string, outcome: Outcome): void {
    this.outcomes.set(path, outcome);
    this.callsMade += 1;
  }

  /** Adds a cost to the known cost, unless it is in another currency than the run. */
  paid(cost: TurnCost | undefined, currency: string | undefined): void {
    if (cost?.currency === currency) this.spentMicros += BigInt(cost?.micros ?? 0);
  }

  leftOpen(path: string, n: number, state: RecordedStep['state']): void {
    const before = this.open.get(path)?.state;
    if (isYetToCome(state) && !(before && isYetToCome(before))) this.callsMade -= 1;
    this.open.set(path, { n, state });
  }

  succeeded(path: string, output: Outcome & { ok: true }): void {
    this.open.delete(path);
    this.outcomes.set(path, output);
  }

  failed(path: string, error: CallError, tries: number): void {
    this.open.delete(path);
    this.failedNow.add(path);
    if (error.awaitsStorage) this.callsMade -= 1;
    this.outcomes.set(path, { ok: false, error, tries });
  }

  release(path: string): void {
    this.outcomes.delete(path);
    this.requests.delete(path);
    this.failedNow.delete(path);
  }

  adopt(step: IntendedStep): void {
    this.recallOutcome({ ...step, type: 'tool_call', due: null, detail: null });
  }

  private recall(step: RecordedStep): void {
    const isCall = step.type === 'tool_call' || step.type === 'model_call' || step.type === 'code';
    if (isCall && wasMade(step)) this.callsMade += 1;
    this.spentMicros += BigInt(step.cost ?? 0);
    if (isCall || step.type === 'wait' || step.type === 'approval') this.recallOutcome(step);
    else if (isNoteType(step.type)) this.recordedNotes.add(step.path);
    if (step.copied) this.withhold(step, step.copied);
    if (step.type === 'output') this.output = step.output;
    if (step.type === 'error' && step.detail) this.failures.set(step.path, step.detail);
  }

  private recallOutcome(step: RecordedStep): void {
    const { path, n, state, request } = step;
    if (request) this.requests.set(path, request);
    this.open.delete(path);
    switch (state) {
      case 'succeeded':
      case 'simulated':
        this.outcomes.set(path, { ok: true, output: step.output });
        break;
      case 'rejected': // The rule of the approval lets the run continue without the call.
        this.outcomes.set(path, { ok: true, output: step.output, ...(step.error && { refusal: step.error }) });
        break;
      case 'failed':
      case 'denied':
      case 'cancelled':
        this.outcomes.set(path, { ok: false, error: step.error ?? brokenOff(path), tries: step.try });
        break;
      case 'waiting':
        if (step.due !== true) return void this.open.set(path, { n, state });
        if (step.callback === true) this.expire(step);
        else {
          this.overdueWaits.push({ n, state: 'succeeded' });
          this.outcomes.set(path, { ok: true, output: null });
        }
        break;
      default:
        this.outcomes.delete(path);
        this.open.set(path, { n, state });
    }
  }

  private withhold({ path, tool, request }: RecordedStep, detail: JsonObject): void {
    const outcome = this.outcomes.get(path);
    if (outcome) this.copies.set(path, { tool: tool ?? '', request: request ?? {}, outcome, detail });
    this.outcomes.delete(path);
  }

  private expire({ n, path }: RecordedStep): void {
    const error: CallError = { code: 'timeout', message: 'The callback was not called in time.', step: stepOf(path) };
    this.overdueWaits.push({ n, state: 'failed', error });
    this.outcomes.set(path, { ok: false, error, tries: 1 });
  }
}

function isYetToCome(state: RecordedStep['state']): boolean {
  return state === 'awaiting_approval' || state === 'ready' || state === 'interrupted';
}

function wasMade({ state, error, path }: RecordedStep): boolean {
  return !isYetToCome(state) && !error?.awaitsStorage && !path.endsWith('#reconcile');
}

function brokenOff(path: string): CallError {
  return { code: 'tool_error', message: 'The call was aborted.', step: stepOf(path) };
}

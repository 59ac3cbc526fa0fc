import type { Advance, StepResult } from '../../libs/runs/src/records/run-commands.js';
import type { ModelStep } from './step-model.js';

export type WorkerName = 'A' | 'B';

/** A call that this worker has begun and whose outcome it does not know yet. */
export type BegunCall = Pick<ModelStep, 'n' | 'path' | 'effect' | 'request'> & { op: string };

export type OpenStep = Pick<ModelStep, 'n' | 'path' | 'effect' | 'request'> & {
  state: 'ready' | 'interrupted' | 'in_doubt' | 'waiting';
};

/** One write, with all data that the worker needs to send it again if the response was lost. */
export type SentWrite =
  | { kind: 'claim' | 'claim next'; op: string }
  | { kind: 'advance'; op: string; attempt: number; write: Advance }
  | { kind: 'finish'; op: string; attempt: number; results: readonly StepResult[]; status: 'succeeded' | 'failed' };

/**
 * What a worker process knows about the run that it has claimed. The worker does not see later changes by other
 * processes. It continues with outdated knowledge until a response of the database corrects it. A call that it has
 * begun may take effect at any time.
 */
export class Attempt {
  /** False after a response reported that the worker no longer owns the run. */
  mayGoOn = true;
  readonly inFlight: BegunCall[] = [];
  readonly open: OpenStep[] = [];
  results: StepResult[] = [];

  constructor(
    readonly number: number,
    recorded: readonly ModelStep[],
  ) {
    const latest = new Map(recorded.map((step) => [step.path, step]));
    for (const step of latest.values()) {
      if (step.state === 'waiting' && step.due) this.results.push({ n: step.n, state: 'succeeded' });
      else if (isOpen(step)) this.open.push({ ...step });
    }
  }

  get hasWriteInFlight(): boolean {
    return this.inFlight.some((call) => call.effect !== 'read');
  }

  get resumable(): OpenStep | undefined {
    return this.open.find((step) => step.state !== 'waiting');
  }

  takeResults(): StepResult[] {
    const { results } = this;
    this.results = [];
    return results;
  }

  /** Applies the response about one step of a write. The call has begun, or another worker has settled the step. */
  adopt(step: ModelStep, op: string): void {
    this.close(step.n, step.path);
    if (step.state === 'started') this.inFlight.push({ ...step, op });
    else if (isOpen(step)) this.open.push({ ...step });
  }

  /**
   * Removes the calls of a write whose response was lost. The worker has not sent these calls, because it may send them
   * only after it has received the response.
   */
  takeBackUnanswered(op: string): void {
    for (const call of this.inFlight.filter((begun) => begun.op === op))
      this.inFlight.splice(this.inFlight.indexOf(call), 1);
  }

  /** Records the outcome of a call. The next write reports it. */
  settle(call: BegunCall, state: StepResult['state']): void {
    this.inFlight.splice(this.inFlight.indexOf(call), 1);
    this.results.push({ n: call.n, state });
    if (state === 'ready' || state === 'in_doubt' || state === 'interrupted') this.open.push({ ...call, state });
  }

  /** Records the outcome of a call in doubt, after its reconciliation. */
  settleDoubt(step: OpenStep, state: 'succeeded' | 'interrupted'): void {
    this.close(step.n, step.path);
    this.results.push({ n: step.n, state });
    if (state === 'interrupted') this.open.push({ ...step, state });
  }

  private close(n: number, path: string): void {
    const left = this.open.filter((step) => step.n !== n && step.path !== path);
    this.open.splice(0, this.open.length, ...left);
  }
}

/** A worker process. After its lease has expired, a process with another id replaces it. */
export class WorkerModel {
  attempt: Attempt | undefined;
  /** The last write whose response may still be lost, because the worker has not used the response yet. */
  lastWrite: SentWrite | undefined;
  private incarnation = 1;

  constructor(
    readonly name: WorkerName,
    private readonly runId: string,
  ) {}

  get id(): string {
    return `${this.runId}-${this.name}${this.incarnation}`;
  }

  forgetEverything(): void {
    this.attempt = undefined;
    this.lastWrite = undefined;
  }

  restart(): void {
    this.forgetEverything();
    this.incarnation += 1;
  }
}

function isOpen(step: ModelStep): step is ModelStep & OpenStep {
  return ['ready', 'interrupted', 'in_doubt', 'waiting'].includes(step.state);
}

import type { Advance, StepResult } from '../../libs/runs/src/records/run-commands.js';
import type { ModelStep } from './step-model.js';

export type WorkerName = 'A' | 'B';

/** A call that this worker has begun and that has no outcome yet. */
export type BegunCall = Pick<ModelStep, 'n' | 'path' | 'effect' | 'request'> & { op: string };

/** A recorded step without a result, as far as the worker knows. */
export type OpenStep = Pick<ModelStep, 'n' | 'path' | 'effect' | 'request'> & {
  state: 'ready' | 'interrupted' | 'in_doubt' | 'waiting';
};

/** One write, with all it takes to send it again after its answer was lost. */
export type SentWrite =
  | { kind: 'claim' | 'claim next'; op: string }
  | { kind: 'advance'; op: string; attempt: number; write: Advance }
  | { kind: 'finish'; op: string; attempt: number; results: readonly StepResult[]; status: 'succeeded' | 'failed' };

/**
 * What a worker process knows of the run that it claimed: nothing that happened elsewhere since. It goes on with stale
 * knowledge until an answer of the database teaches it better, and what it has begun may take effect at any time.
 */
export class Attempt {
  /** False once an answer said that the run is no longer this worker's to go on with. */
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

  /** The step that the worker would carry on first. */
  get resumable(): OpenStep | undefined {
    return this.open.find((step) => step.state !== 'waiting');
  }

  takeResults(): StepResult[] {
    const { results } = this;
    this.results = [];
    return results;
  }

  /** Takes note of what an intent led to: a call that is under way now, or a step that another worker settled meanwhile. */
  adopt(step: ModelStep, op: string): void {
    this.close(step.n, step.path);
    if (step.state === 'started') this.inFlight.push({ ...step, op });
    else if (isOpen(step)) this.open.push({ ...step });
  }

  /** Calls of a write whose answer was lost have not begun; the answer to its repetition says which ones begin now. */
  takeBackUnanswered(op: string): void {
    for (const call of this.inFlight.filter((begun) => begun.op === op))
      this.inFlight.splice(this.inFlight.indexOf(call), 1);
  }

  /** A call of this worker has ended; it is reported with the next write. */
  settle(call: BegunCall, state: StepResult['state']): void {
    this.inFlight.splice(this.inFlight.indexOf(call), 1);
    this.results.push({ n: call.n, state });
    if (state === 'ready' || state === 'in_doubt' || state === 'interrupted') this.open.push({ ...call, state });
  }

  /** The outcome of a step in doubt was found out. */
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

/** A worker process. After the end of its lease it comes back as another process, under another id. */
export class WorkerModel {
  attempt: Attempt | undefined;
  /** The last write whose answer may still turn out to be lost: nothing has been done upon it. */
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

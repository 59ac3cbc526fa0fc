import { randomUUID } from 'node:crypto';
import type { RunOutcome, Note } from '../interpreter/plan.js';
import type { AdvanceVerdict, ClaimedRun, StepIntent, StepNote, StepResult } from '../records/run-commands.js';
import type { AttemptStore } from '../privacy/private-run-store.js';
import type { StartPermission, WorkerLeaseService } from './worker-lease.service.js';

export type RecordedSteps = AdvanceVerdict & { verdict: 'ok' } & { permission: StartPermission };

const URGENT_CHARACTERS = 512 * 1024;
const URGENT_MILLIS = 500;

export class AttemptRecords {
  private notes: StepNote[] = [];
  private urgency = 0;

  constructor(
    private readonly host: {
      store: AttemptStore;
      lease: Pick<WorkerLeaseService, 'retryWhileHeld' | 'startPermission'>;
    },
    private readonly run: ClaimedRun,
    private results: StepResult[],
  ) {}

  get hasResults(): boolean {
    return this.results.length > 0;
  }

  get hasNotes(): boolean {
    return this.notes.length > 0;
  }

  /** True if the buffered notes must be written at once, because the executed code returned much data or ran long. */
  get isUrgent(): boolean {
    return this.urgency >= 1;
  }

  addCode(note: StepNote, characters: number, millis: number): void {
    this.notes.push(note);
    this.urgency += characters / URGENT_CHARACTERS + millis / URGENT_MILLIS;
  }

  addResult(result: StepResult): void {
    this.results.push(result);
  }

  addNotes(notes: readonly (Note | StepNote)[]): void {
    this.notes.push(...notes);
  }

  /** Returns undefined if this worker no longer owns the run or if the run is suspended. */
  async advance(intents: readonly StepIntent[], pauseMs?: number): Promise<RecordedSteps | undefined> {
    const write = { intents, pauseMs, ...this.take() };
    const op = randomUUID();
    return this.host.lease.retryWhileHeld(async () => {
      const permission = this.host.lease.startPermission();
      const verdict = await this.host.store.advance(this.run, op, write);
      return verdict.verdict === 'ok' ? { permission, ...verdict } : undefined;
    });
  }

  async endRun(outcome: RunOutcome): Promise<void> {
    const op = randomUUID();
    const write = { outcome, ...this.take() };
    await this.host.lease.retryWhileHeld(() => this.host.store.finish(this.run, op, write));
  }

  /**
   * If the workspace is stopped, the run continues after the resume. If this worker no longer owns the run, only the
   * results are written.
   */
  async yieldRun(): Promise<void> {
    const { results } = this.take();
    await this.host.lease.retryWhileHeld(() => this.host.store.release(this.run, results));
  }

  private take(): { results: StepResult[]; notes: StepNote[] } {
    const { results, notes } = this;
    this.results = [];
    this.notes = [];
    this.urgency = 0;
    return { results, notes };
  }
}

import { randomUUID } from 'node:crypto';
import type { RunOutcome, Note } from '../interpreter/plan.js';
import type { AdvanceVerdict, ClaimedRun, StepIntent, StepNote, StepResult } from '../records/run-commands.js';
import type { AttemptStore } from '../privacy/private-run-store.js';
import type { StartPermission, WorkerLease } from './worker-lease.service.js';

/** Steps that the store has taken, and permission to begin those of them that are `started`. */
export type Recorded = AdvanceVerdict & { verdict: 'ok' } & { permission: StartPermission };

/** What an attempt has found out and not written yet, and the writes that take it along. */
export class AttemptRecords {
  private notes: StepNote[] = [];

  constructor(
    private readonly host: { store: AttemptStore; lease: Pick<WorkerLease, 'insist' | 'startPermission'> },
    private readonly run: ClaimedRun,
    private results: StepResult[],
  ) {}

  get hasResults(): boolean {
    return this.results.length > 0;
  }

  get hasNotes(): boolean {
    return this.notes.length > 0;
  }

  addResult(result: StepResult): void {
    this.results.push(result);
  }

  addNotes(notes: readonly (Note | StepNote)[]): void {
    this.notes.push(...notes);
  }

  /** Goes one step forward. Undefined: the run is no longer ours to work on, or has left for a while. */
  async advance(intents: readonly StepIntent[], pauseMs?: number): Promise<Recorded | undefined> {
    const write = { intents, pauseMs, ...this.take() };
    const op = randomUUID();
    return this.host.lease.insist(async () => {
      const permission = this.host.lease.startPermission();
      const verdict = await this.host.store.advance(this.run, op, write);
      return verdict.verdict === 'ok' ? { permission, ...verdict } : undefined;
    });
  }

  async end(outcome: RunOutcome): Promise<void> {
    const op = randomUUID();
    const write = { outcome, ...this.take() };
    await this.host.lease.insist(() => this.host.store.finish(this.run, op, write));
  }

  /**
   * Gives the run back, for a worker to go on with: at once, or after the resume of its stopped workspace. Of a run that is
   * no longer ours only the results are recorded.
   */
  async release(): Promise<void> {
    const { results } = this.take();
    await this.host.lease.insist(() => this.host.store.release(this.run, results));
  }

  private take(): { results: StepResult[]; notes: StepNote[] } {
    const { results, notes } = this;
    this.results = [];
    this.notes = [];
    return { results, notes };
  }
}

import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { ActiveRuns } from './active-runs.js';
import { PersistentWrites } from './persistent-writes.js';
import type { ClaimedRun } from '../journal-entries.js';
import { RunJournal } from '../run-journal.js';
import { WorkerLease } from './worker-lease.service.js';

/** Claims runs for this process while its lease holds and it is not about to end. */
@Injectable()
export class RunClaims {
  constructor(
    private readonly journal: RunJournal,
    private readonly lease: WorkerLease,
    private readonly writes: PersistentWrites,
    private readonly activeRuns: ActiveRuns,
  ) {}

  claim(runId: string): Promise<ClaimedRun | undefined> {
    return this.ask((op) => this.journal.claim(runId, this.lease.workerId, op));
  }

  /** The run that has been due the longest, if one is due. */
  claimNext(): Promise<ClaimedRun | undefined> {
    return this.ask((op) => this.journal.claimNext(this.lease.workerId, op));
  }

  /**
   * Ends a run whose attempt broke off because of a defect of the service: while this process holds it nobody else would
   * take it, and it would break off again. Without a lease it is left to whoever recovers it.
   */
  async abandon(run: ClaimedRun): Promise<void> {
    if (!this.lease.holds()) return;
    const op = randomUUID();
    const error = {
      code: 'internal_error',
      message: 'The service failed while carrying out the run.',
      step: null,
    } as const;
    const write = { results: [], notes: [], ending: { status: 'failed', error } } as const;
    await this.writes.insist(() => this.journal.finish(run, op, write));
  }

  private async ask(claim: (op: string) => Promise<ClaimedRun | undefined>): Promise<ClaimedRun | undefined> {
    if (this.activeRuns.isDraining || !this.lease.holds()) return undefined;
    const op = randomUUID();
    return this.writes.insist(() => claim(op));
  }
}

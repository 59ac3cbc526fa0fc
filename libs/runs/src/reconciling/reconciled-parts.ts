import { Injectable } from '@nestjs/common';
import { ArchivedRuns } from '../start/archived-runs.js';
import { ChildRunStore } from '../children/child-run.store.js';
import { HeldRuns } from './held-runs.js';
import { LostRuns } from './lost-runs.service.js';
import { MissedDeadlines } from './missed-deadlines.service.js';

/** One thing that is put right in every round. */
export interface ReconciledPart {
  name: string;
  work: (signal: AbortSignal) => Promise<void>;
}

/** All that a worker puts right again and again, in this order. */
@Injectable()
export class ReconciledParts {
  readonly all: readonly ReconciledPart[];

  constructor(
    lostRuns: LostRuns,
    deadlines: MissedDeadlines,
    heldRuns: HeldRuns,
    archivedRuns: ArchivedRuns,
    childRuns: ChildRunStore,
  ) {
    this.all = [
      { name: 'lost runs', work: (signal) => lostRuns.recover(signal) },
      { name: 'missed deadlines', work: (signal) => deadlines.enforce(signal) },
      { name: 'held runs', work: (signal) => heldRuns.tend(signal) },
      { name: 'runs of archived agents', work: () => archivedRuns.tend() },
      { name: 'runs that runs have started', work: (signal) => childRuns.tend(signal) },
    ];
  }
}

import { Clock } from '@app/kernel';
import { Injectable } from '@nestjs/common';

const REMEMBERED_WORKSPACES = 10_000;
/** How far ahead of others' runs the run of a workspace may be put that has started none lately. */
const MOST_MILLIS = 300_000;
/** What each run takes of that; so a workspace may start 50 runs a second without falling back. */
const PER_RUN_MILLIS = 20;

/**
 * Which run is taken first while not all can be: start-time fair queueing. Due runs are taken in the order of their wake times.
 * Each workspace has a clock of its own, which lags behind by five minutes at the most and goes forward with each of its runs;
 * a run is put where that clock stands. A workspace with a backlog has used its lead up, so others are taken in turn with it and
 * not after it, while the runs of one workspace keep their order. It costs no statement, no index and no byte. Each process
 * keeps clocks of its own: with several apis the shares are so much coarser.
 */
@Injectable()
export class FairShares {
  /** Where the workspace's clock stands. */
  private readonly clocks = new Map<string, number>();

  constructor(private readonly clock: Clock) {}

  /** By how many milliseconds the workspace's next run goes before one that is due now. Each call is a run. */
  headStart(workspaceId: string): number {
    const now = this.clock.monotonicMillis();
    if (this.clocks.size >= REMEMBERED_WORKSPACES) this.clocks.clear();
    const earliest = now - MOST_MILLIS;
    const stands = Math.min(now, Math.max(earliest, this.clocks.get(workspaceId) ?? earliest) + PER_RUN_MILLIS);
    this.clocks.set(workspaceId, stands);
    return Math.round(now - stands);
  }
}

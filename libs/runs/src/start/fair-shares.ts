import { Clock } from '@app/kernel';
import { Injectable } from '@nestjs/common';

const REMEMBERED_WORKSPACES = 10_000;
/** Maximum head start, for a workspace that has not started runs recently. */
const MOST_MILLIS = 300_000;
/** Head start that each run uses up. A workspace that starts fewer than 50 runs per second keeps its head start. */
const PER_RUN_MILLIS = 20;

/**
 * Orders waiting runs by start-time fair queueing. Workers take due runs in the order of their wake times. Each
 * workspace has a virtual clock that is at most five minutes behind and advances with each run; it determines the wake
 * time of the run. A workspace with a backlog has used up its head start, so runs of other workspaces alternate with
 * its runs. Runs of one workspace keep their order. Clocks are local to a process, so with several API processes the
 * shares are less exact.
 */
@Injectable()
export class FairShares {
  private readonly clocks = new Map<string, number>();

  constructor(private readonly clock: Clock) {}

  /** Returns the head start of the workspace's next run in milliseconds. Each call counts as one run. */
  headStart(workspaceId: string): number {
    const now = this.clock.monotonicMillis();
    if (this.clocks.size >= REMEMBERED_WORKSPACES) this.clocks.clear();
    const earliest = now - MOST_MILLIS;
    const stands = Math.min(now, Math.max(earliest, this.clocks.get(workspaceId) ?? earliest) + PER_RUN_MILLIS);
    this.clocks.set(workspaceId, stands);
    return Math.round(now - stands);
  }
}

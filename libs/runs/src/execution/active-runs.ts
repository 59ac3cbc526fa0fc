import { Clock } from '@app/kernel';
import { sharedAbortController } from '@app/platform/periodic';
import { Injectable } from '@nestjs/common';
import type { ClaimedRun } from '../records/run-commands.js';

/** Why the I/O of a run is aborted: its time is up, or it is no longer this process's to work on. */
export const ABORT_REASONS = ['timeout', 'lost', 'cancelled', 'stopped', 'lease_lost'] as const;
export type AbortReason = (typeof ABORT_REASONS)[number];

/** Why the run is no longer this process's to work on; undefined while it is, also when its time is up. */
export function takenAwayBy({ reason }: AbortSignal): AbortReason | undefined {
  return reason === 'timeout' ? undefined : (reason as AbortReason | undefined);
}

type RunInHand = Pick<ClaimedRun, 'id' | 'workspaceId' | 'attempt'>;

interface ActiveRun extends RunInHand {
  controller: AbortController;
}

/** The runs that this process is working on right now. */
@Injectable()
export class ActiveRuns {
  private readonly runs = new Map<string, ActiveRun>();
  private draining = false;

  constructor(private readonly clock: Clock) {}

  get size(): number {
    return this.runs.size;
  }

  /** Milliseconds by a clock that only goes forward. */
  now(): number {
    return this.clock.monotonicMillis();
  }

  /** True once the process is to end: nothing new is claimed, and runs are given back between two steps. */
  get isDraining(): boolean {
    return this.draining;
  }

  drain(): void {
    this.draining = true;
  }

  list(): { id: string; attempt: number }[] {
    return [...this.runs.values()].map(({ id, attempt }) => ({ id, attempt }));
  }

  /** Keeps the run on the list while `work` lasts; the signal ends its I/O, at the latest after `limitMillis`. */
  async during(
    { id, workspaceId, attempt }: RunInHand,
    limitMillis: number,
    work: (signal: AbortSignal) => Promise<void>,
  ): Promise<void> {
    const active: ActiveRun = { id, workspaceId, attempt, controller: sharedAbortController() };
    const over = new AbortController();
    this.runs.set(id, active);
    void this.clock.sleep(limitMillis, over.signal).then(() => {
      if (!over.signal.aborted) active.controller.abort('timeout' satisfies AbortReason);
    });
    try {
      await work(active.controller.signal);
    } finally {
      // Not the signal of the run: whoever still listens to that would take the end for a cancellation. With a reason no error is
      // made, whose stack nobody would read.
      over.abort('over');
      if (this.runs.get(id) === active) this.runs.delete(id);
    }
  }

  abort(runId: string, reason: AbortReason): void {
    this.runs.get(runId)?.controller.abort(reason);
  }

  /** Ids of the runs in hand that belong to one workspace. */
  ofWorkspace(workspaceId: string): string[] {
    return [...this.runs.values()].filter((run) => run.workspaceId === workspaceId).map(({ id }) => id);
  }

  abortAll(reason: AbortReason): void {
    for (const run of this.runs.values()) run.controller.abort(reason);
  }
}

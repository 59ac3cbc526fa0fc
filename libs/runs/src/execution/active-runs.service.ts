import { Clock } from '@app/kernel';
import { sharedAbortController } from '@app/platform/periodic';
import { Injectable } from '@nestjs/common';
import type { ClaimedRun } from '../records/run-commands.js';

export const ABORT_REASONS = ['timeout', 'lost', 'cancelled', 'stopped', 'lease_lost'] as const;
export type AbortReason = (typeof ABORT_REASONS)[number];

export function abortedBy({ reason }: AbortSignal): AbortReason | undefined {
  return reason === 'timeout' ? undefined : (reason as AbortReason | undefined);
}

type RunInHand = Pick<ClaimedRun, 'id' | 'workspaceId' | 'attempt'>;

interface ActiveRun extends RunInHand {
  controller: AbortController;
}

@Injectable()
export class ActiveRunsService {
  private readonly runs = new Map<string, ActiveRun>();
  private draining = false;

  constructor(private readonly clock: Clock) {}

  get size(): number {
    return this.runs.size;
  }

  now(): number {
    return this.clock.monotonicMillis();
  }

  /** The process then claims no runs, and releases each of its runs between two steps. */
  get isDraining(): boolean {
    return this.draining;
  }

  drain(): void {
    this.draining = true;
  }

  list(): { id: string; attempt: number }[] {
    return [...this.runs.values()].map(({ id, attempt }) => ({ id, attempt }));
  }

  /** The signal that `work` receives aborts after `limitMillis`, or earlier if this process loses the run. */
  async trackRun(
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
      // The timer has its own signal. If the signal of the run were aborted here, its listeners would treat the run as
      // cancelled.
      over.abort('over');
      if (this.runs.get(id) === active) this.runs.delete(id);
    }
  }

  abort(runId: string, reason: AbortReason): void {
    this.runs.get(runId)?.controller.abort(reason);
  }

  idsOfWorkspace(workspaceId: string): string[] {
    return [...this.runs.values()].filter((run) => run.workspaceId === workspaceId).map(({ id }) => id);
  }

  abortAll(reason: AbortReason): void {
    for (const run of this.runs.values()) run.controller.abort(reason);
  }
}

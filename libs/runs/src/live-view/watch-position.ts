import type { RunStatus } from '../records/run-status.js';
import type { RunStepEntity } from '../records/run-step.entity.js';

/**
 * Positions have no gaps and ended steps never change, so it is enough to store the highest position and the revisions
 * of the steps that have not ended.
 */
export class WatchPosition {
  status: RunStatus | null = null;
  private readonly open = new Map<number, { revision: string; state: RunStepEntity['state'] }>();
  private highest: number;

  /** @param afterN the reader knows all steps up to this position, and these steps have ended */
  constructor(
    readonly runId: string,
    afterN: number,
  ) {
    this.highest = afterN;
  }

  get seenUpTo(): number {
    return this.highest;
  }

  get resumesAfter(): number {
    return Math.min(this.highest, ...[...this.open.keys()].map((n) => n - 1));
  }

  get openRevisions(): Record<string, string> {
    return Object.fromEntries([...this.open].map(([n, { revision }]) => [n, revision]));
  }

  get hasCallsUnderWay(): boolean {
    return [...this.open.values()].some(({ state }) => state === 'started');
  }

  /** Call this method in the order of the positions. */
  see({ n, endedAt, state }: Pick<RunStepEntity, 'n' | 'endedAt' | 'state'>, revision: string): void {
    this.highest = Math.max(this.highest, n);
    if (endedAt) this.open.delete(n);
    else this.open.set(n, { revision, state });
  }
}

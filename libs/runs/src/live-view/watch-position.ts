import type { RunStatus } from '../records/run-status.js';
import type { RunStepEntity } from '../records/run-step.entity.js';

/**
 * How far somebody has followed a run, and what of it may still change.
 *
 * Positions are handed out without gaps and a step that has ended never changes again. So the whole position is the
 * highest `n` seen and, of the few steps seen before their end, which state of each was seen.
 */
export class WatchPosition {
  status: RunStatus | null = null;
  private readonly open = new Map<number, { revision: string; state: RunStepEntity['state'] }>();
  private highest: number;

  /** Everything up to position `afterN` is known and has ended. */
  constructor(
    readonly runId: string,
    afterN: number,
  ) {
    this.highest = afterN;
  }

  get seenUpTo(): number {
    return this.highest;
  }

  /** Whoever goes on after this position misses nothing: no step up to it can change any more. */
  get resumesAfter(): number {
    return Math.min(this.highest, ...[...this.open.keys()].map((n) => n - 1));
  }

  /** Position → revision of the steps that were seen before they had ended. */
  get openRevisions(): Record<string, string> {
    return Object.fromEntries([...this.open].map(([n, { revision }]) => [n, revision]));
  }

  get hasCallsUnderWay(): boolean {
    return [...this.open.values()].some(({ state }) => state === 'started');
  }

  /** Takes note of a step as it is now. Steps come in the order of their positions. */
  see({ n, endedAt, state }: Pick<RunStepEntity, 'n' | 'endedAt' | 'state'>, revision: string): void {
    this.highest = Math.max(this.highest, n);
    if (endedAt) this.open.delete(n);
    else this.open.set(n, { revision, state });
  }
}

import { Clock } from '@app/kernel';
import { Statements } from '@app/platform/database';
import { LOGGER, type Logger } from '@app/platform/observability';
import { Inject, Injectable } from '@nestjs/common';
import { hasEnded, type RunStatus, waitsForPeople } from '../records/run-status.js';
import type { RunStepEntity } from '../records/run-step.entity.js';
import { type Observation, WatchedRunsRepository } from './watched-runs.repository.js';
import { WatchPosition } from './watch-position.js';

export interface RunChange {
  /** New and changed steps, ordered by position. */
  steps: { step: RunStepEntity; resumesAfter: number }[];
  /** Set if the status has changed. This change or an earlier one contains the steps that led to the status. */
  status?: RunStatus;
  /** A reader that continues after this position misses no change. */
  resumesAfter: number;
  ended: boolean;
}

/** Polling interval. All readers of a process share one statement. */
const POLL_MILLIS = 250;
/** After a run is cancelled, readers wait this long for the outcomes of calls that are still running. */
const LATE_RESULTS_MILLIS = 5_000;
const PAUSE_AFTER_FAILURE_MILLIS = 1_000;

/** The largest value of the position column. */
const BEYOND_THE_LAST_STEP = 2 ** 31 - 1;

type Answer = (observation: Observation | undefined) => void;

/**
 * Lets any number of readers follow runs. While readers wait, one statement every `POLL_MILLIS` reads the changes for
 * all of them, so the load on the database does not depend on their number. A reader that still processes its last
 * change does not wait. Its changes are not read in the meantime, so they do not accumulate in memory.
 */
@Injectable()
export class RunWatcherService {
  private readonly runs: WatchedRunsRepository;
  private readonly waiting = new Map<WatchPosition, Answer>();
  private isLooking = false;
  private wake = new AbortController();

  constructor(
    statements: Statements,
    private readonly clock: Clock,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {
    this.runs = new WatchedRunsRepository(statements);
  }

  /**
   * Yields the changes of a run after position `afterN`, starting with the recorded steps. Returns after the end of the
   * run or when `signal` aborts. The caller has checked that the run exists and may be read.
   */
  async *followRun(runId: string, afterN: number, signal: AbortSignal): AsyncGenerator<RunChange, void, void> {
    // Position 1 is the trigger, which is not recorded as a step.
    const position = new WatchPosition(runId, Math.max(1, afterN));
    let isCaughtUp = false;
    let limit = signal;
    for (;;) {
      const observation = await this.next(position, { atOnce: !isCaughtUp, signal: limit });
      if (signal.aborted) return;
      const change = observation ? changeOf(position, observation) : lastChange(position);
      if (change.ended || change.steps.length > 0 || change.status) yield change;
      if (change.ended) return;
      isCaughtUp = observation?.isComplete ?? true;
      if (limit === signal && position.status && hasEnded(position.status)) {
        limit = AbortSignal.any([signal, AbortSignal.timeout(LATE_RESULTS_MILLIS)]);
      }
    }
  }

  /**
   * Resolves when the run has ended or `signal` aborts, without reading steps. The caller has checked that the run
   * exists.
   */
  async untilEnded(runId: string, signal: AbortSignal): Promise<void> {
    for await (const { ended } of this.followRun(runId, BEYOND_THE_LAST_STEP, signal)) if (ended) return;
  }

  /** Like {@link untilEnded}, but also resolves when the run waits for people. */
  async untilSettled(runId: string, signal: AbortSignal): Promise<void> {
    for await (const { ended, status } of this.followRun(runId, BEYOND_THE_LAST_STEP, signal))
      if (ended || (status && waitsForPeople(status))) return;
  }

  /** Waits for the next change. `atOnce` skips the interval. Returns undefined if `signal` aborts. */
  private next(
    position: WatchPosition,
    { atOnce, signal }: { atOnce: boolean; signal: AbortSignal },
  ): Promise<Observation | undefined> {
    if (signal.aborted) return Promise.resolve(undefined);
    return new Promise((resolve) => {
      const answer: Answer = (observation) => {
        this.waiting.delete(position);
        signal.removeEventListener('abort', giveUp);
        resolve(observation);
      };
      const giveUp = (): void => answer(undefined);
      signal.addEventListener('abort', giveUp);
      this.waiting.set(position, answer);
      if (atOnce) this.wake.abort();
      if (!this.isLooking) void this.look();
    });
  }

  private async look(): Promise<void> {
    this.isLooking = true;
    while (this.waiting.size > 0) {
      // Readers that arrive after this point are not part of this read. They may shorten the next interval.
      this.wake = new AbortController();
      const wasPossible = await this.lookOnce();
      await (wasPossible
        ? this.clock.sleep(POLL_MILLIS, this.wake.signal)
        : this.clock.sleep(PAUSE_AFTER_FAILURE_MILLIS));
    }
    this.isLooking = false;
  }

  /** Returns false if the database is unavailable. The readers then continue to wait. */
  private async lookOnce(): Promise<boolean> {
    try {
      const observations = await this.runs.changesAt([...this.waiting.keys()]);
      for (const [position, observation] of observations) this.waiting.get(position)?.(observation);
      return true;
    } catch (error) {
      this.logger.warn({ err: error }, 'event streams: reading the changes of runs failed');
      return false;
    }
  }
}

function changeOf(position: WatchPosition, { status, steps, isComplete }: Observation): RunChange {
  const seen = steps.map(({ step, revision }) => {
    position.see(step, revision);
    return { step, resumesAfter: position.resumesAfter };
  });
  const isNews = isComplete && status !== position.status;
  if (isNews) position.status = status;
  return {
    steps: seen,
    ...(isNews && { status }),
    resumesAfter: position.resumesAfter,
    ended: isComplete && hasEnded(status) && !position.hasCallsUnderWay,
  };
}

function lastChange({ resumesAfter }: WatchPosition): RunChange {
  return { steps: [], resumesAfter, ended: true };
}

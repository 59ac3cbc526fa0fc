import { abortWithin, Clock } from '@app/kernel';
import { Statements } from '@app/platform/database';
import { LOGGER, type Logger } from '@app/platform/observability';
import { Inject, Injectable } from '@nestjs/common';
import { hasEnded, type RunStatus, waitsForPeople } from '../records/run-status.js';
import type { RunStepEntity } from '../records/run-step.entity.js';
import { WatchPace } from './watch-pace.js';
import { type Observation, WatchedRunsRepository } from './watched-runs.repository.js';
import { WatchPosition } from './watch-position.js';

export interface RunChange {
  /** New steps and changed steps, ordered by position. */
  steps: { step: RunStepEntity; resumesAfter: number }[];
  /** The steps that led to this status are in this or an earlier change. */
  status?: RunStatus;
  /** A reader that continues after this position misses no change. */
  resumesAfter: number;
  ended: boolean;
}

/** A cancelled run can have such calls. */
const LATE_RESULTS_MILLIS = 5_000;
const PAUSE_AFTER_FAILURE_MILLIS = 1_000;

const BEYOND_THE_LAST_STEP = 2 ** 31 - 1;

type Answer = (observation: Observation | undefined) => void;

/**
 * At a pace of its own, one statement reads the changes for all readers that wait, so the number of statements does not
 * depend on the number of readers. While a reader still processes its last change, no further changes are read for this
 * reader. Changes therefore do not accumulate in memory.
 */
@Injectable()
export class RunWatcherService {
  private readonly runs: WatchedRunsRepository;
  private readonly waiting = new Map<WatchPosition, Answer>();
  private readonly pace = new WatchPace();
  private isLooking = false;
  private wake = new AbortController();

  constructor(
    statements: Statements,
    private readonly clock: Clock,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {
    this.runs = new WatchedRunsRepository(statements);
  }

  /** Returns after the end of the run or when `signal` aborts. */
  async *followRun(runId: string, afterN: number, signal: AbortSignal): AsyncGenerator<RunChange, void, void> {
    // Position 1 is the trigger. It is not stored as a step.
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
        limit = abortWithin(LATE_RESULTS_MILLIS, signal);
      }
    }
  }

  /** Reads no steps. */
  async untilEnded(runId: string, signal: AbortSignal): Promise<void> {
    for await (const { ended } of this.followRun(runId, BEYOND_THE_LAST_STEP, signal)) if (ended) return;
  }

  /** Like {@link untilEnded}, but also resolves when the run waits for people. */
  async untilSettled(runId: string, signal: AbortSignal): Promise<void> {
    for await (const { ended, status } of this.followRun(runId, BEYOND_THE_LAST_STEP, signal))
      if (ended || (status && waitsForPeople(status))) return;
  }

  async untilSettledAgain(runId: string, signal: AbortSignal): Promise<void> {
    let continued = false;
    for await (const { ended, status } of this.followRun(runId, BEYOND_THE_LAST_STEP, signal)) {
      if (ended || (continued && status && waitsForPeople(status))) return;
      continued ||= status !== undefined && !waitsForPeople(status);
    }
  }

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
      if (atOnce) {
        this.pace.restart();
        this.wake.abort();
      }
      if (!this.isLooking) void this.look();
    });
  }

  private async look(): Promise<void> {
    this.isLooking = true;
    while (this.waiting.size > 0) {
      this.wake = new AbortController();
      const wasPossible = await this.lookOnce();
      await (wasPossible
        ? this.clock.sleep(this.pace.nextPause(), this.wake.signal)
        : this.clock.sleep(PAUSE_AFTER_FAILURE_MILLIS));
    }
    this.isLooking = false;
  }

  /** Returns false if the database is unavailable. The readers then keep waiting. */
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

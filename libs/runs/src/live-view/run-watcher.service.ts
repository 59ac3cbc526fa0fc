import { Clock } from '@app/kernel';
import { LOGGER, type Logger } from '@app/platform/observability';
import { Inject, Injectable } from '@nestjs/common';
import { hasEnded, type RunStatus } from '../records/run-status.js';
import type { RunStepEntity } from '../records/run-step.entity.js';
import { type Observation, WatchedRunsRepository } from './watched-runs.repository.js';
import { WatchPosition } from './watch-position.js';

export interface RunChange {
  /** New steps, and those that are not any more what they were, in the order of their positions. */
  steps: { step: RunStepEntity; resumesAfter: number }[];
  /** Where it is another than before. It is never ahead of the steps. */
  status?: RunStatus;
  /** Following the run again from here misses nothing. */
  resumesAfter: number;
  /** Nothing will change any more: the last change. */
  ended: boolean;
}

/** A cancelled run has ended while a call of it may still be under way; its outcome gets this long to be recorded. */
/** Followers see a change within this time. One statement serves all streams of a process, so a shorter time costs little. */
const POLL_MILLIS = 250;
const LATE_RESULTS_MILLIS = 5_000;
const PAUSE_AFTER_FAILURE_MILLIS = 1_000;

type Answer = (observation: Observation | undefined) => void;

/**
 * Lets any number of readers follow runs while they go on. One statement at a time looks for what is new to all readers
 * that wait for something, every `POLL_MILLIS`, and none does while nobody waits. So following costs the database
 * one statement an interval whether one reads or a thousand, and costs those who carry runs out nothing. What is
 * committed is seen one interval later, plus the time that the look takes.
 *
 * A reader that is still busy with what it was given is not waiting: nothing is read for it, nothing piles up.
 */
@Injectable()
export class RunWatcherService {
  private readonly waiting = new Map<WatchPosition, Answer>();
  private isLooking = false;
  private wake = new AbortController();

  constructor(
    private readonly runs: WatchedRunsRepository,
    private readonly clock: Clock,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  /**
   * What changes about a run after position `afterN`: from what is recorded already to the end of the run, after which it
   * returns. It also returns when `signal` aborts. The caller has made sure that the run exists and may be read.
   */
  async *followRun(runId: string, afterN: number, signal: AbortSignal): AsyncGenerator<RunChange, void, void> {
    // The trigger, position 1, has no record of its own.
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

  /** The next thing that is new, looked for at the next interval or at once. Undefined when `signal` aborts. */
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
      // Whoever begins to wait from here on is not part of this look and may ask for another one at once.
      this.wake = new AbortController();
      const wasPossible = await this.lookOnce();
      await (wasPossible
        ? this.clock.sleep(POLL_MILLIS, this.wake.signal)
        : this.clock.sleep(PAUSE_AFTER_FAILURE_MILLIS));
    }
    this.isLooking = false;
  }

  /** False: the database could not be asked. Everybody goes on waiting. */
  private async lookOnce(): Promise<boolean> {
    try {
      const observations = await this.runs.changesAt([...this.waiting.keys()]);
      for (const [position, observation] of observations) this.waiting.get(position)?.(observation);
      return true;
    } catch (error) {
      this.logger.warn({ err: error }, 'looking for changes of watched runs failed');
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

/** Of a run that has ended, when calls that were under way at its end have not told their outcome in time. */
function lastChange({ resumesAfter }: WatchPosition): RunChange {
  return { steps: [], resumesAfter, ended: true };
}

import { randomInt } from 'node:crypto';
import { setMaxListeners } from 'node:events';
import type { Clock } from '@app/kernel';

export interface PeriodicWork {
  /** Milliseconds from the end of one round to the beginning of the next, give or take the jitter. */
  everyMillis: number;
  /** The first round waits like every other. Without it, it begins at once. */
  waitsFirst?: boolean;
  /**
   * One round. If it returns `again`, the next round follows without a pause. The signal aborts when the task must
   * stop.
   */
  work: (signal: AbortSignal) => Promise<unknown>;
  /** A round has failed. The next round follows after the usual pause. */
  onError: (error: unknown) => void;
}

/** A fifth more or less, so that processes that started together do not all query at the same time. */
const JITTER_PERCENT = 20;

/** Repeats work, one round after the other, until it is stopped. No round overlaps another, and no failure ends it. */
export class PeriodicTask {
  private readonly stopped = sharedAbortController();
  private repeating: Promise<void> | undefined;

  constructor(
    private readonly clock: Clock,
    private readonly task: PeriodicWork,
  ) {}

  /** Aborts when the task must stop, for work that runs between the rounds. */
  get stopping(): AbortSignal {
    return this.stopped.signal;
  }

  /** A second call, and one after {@link stop}, does nothing. */
  start(): void {
    this.repeating ??= this.repeat();
  }

  /** Ends a pause at once. Resolves when the round under way is over; it never rejects. */
  async stop(): Promise<void> {
    this.stopped.abort();
    await this.repeating;
  }

  private async repeat(): Promise<void> {
    const { signal } = this.stopped;
    if (this.task.waitsFirst) await this.pause(signal);
    while (!signal.aborted) {
      if ((await this.round(signal)) !== 'again') await this.pause(signal);
    }
  }

  private async round(signal: AbortSignal): Promise<unknown> {
    try {
      return await this.task.work(signal);
    } catch (error) {
      this.task.onError(error);
      return 'failed';
    }
  }

  private pause(signal: AbortSignal): Promise<void> {
    const percent = randomInt(100 - JITTER_PERCENT, 100 + JITTER_PERCENT + 1);
    return this.clock.sleep((this.task.everyMillis * percent) / 100, signal);
  }
}

/** A controller whose signal may have any number of listeners. Node warns of a leak above ten. */
export function sharedAbortController(): AbortController {
  const controller = new AbortController();
  setMaxListeners(0, controller.signal);
  return controller;
}

/** Work that a worker process does from its start to its shutdown, apart from its jobs. */
export interface WorkerTask {
  /** @throws Error when the worker cannot start without it */
  start(): void | Promise<void>;
  /** Takes nothing more. Resolves when what is under way has ended or was given back, at most after `drainMillis`. */
  stop(drainMillis: number): Promise<void>;
}

import { randomInt } from 'node:crypto';
import { setMaxListeners } from 'node:events';
import type { Clock } from '@app/kernel';

export type PeriodicWork = Pause & {
  waitsFirst?: boolean;
  /** If it returns `again`, the next execution follows without a pause. */
  work: (signal: AbortSignal) => Promise<unknown>;
  /** The next execution follows after the usual pause. */
  onError: (error: unknown) => void;
};

type Pause =
  /** Time in milliseconds from the end of one execution to the start of the next, plus or minus the jitter. */
  | { everyMillis: number }
  /** Resolves when an execution is needed, or when the signal aborts. The first execution waits too. */
  | { pause: (signal: AbortSignal) => Promise<void> };

/** Processes that started together therefore do not all query at the same time. */
const JITTER_PERCENT = 20;

/** A service with one periodic task extends it. Executions never overlap, and a failed one does not end the task. */
export class PeriodicTask {
  private readonly stopped = sharedAbortController();
  private repeating: Promise<void> | undefined;

  constructor(
    protected readonly clock: Clock,
    private readonly task: PeriodicWork,
  ) {}

  get stopping(): AbortSignal {
    return this.stopped.signal;
  }

  /** A second call, or a call after {@link stop}, has no effect. */
  start(): void {
    this.repeating ??= this.repeat();
  }

  /** Resolves when the current execution has ended. Never rejects. */
  async stop(): Promise<void> {
    this.stopped.abort();
    await this.repeating;
  }

  private async repeat(): Promise<void> {
    const { signal } = this.stopped;
    if (this.task.waitsFirst || 'pause' in this.task) await this.pause(signal);
    while (!signal.aborted) {
      if ((await this.workOnce(signal)) !== 'again') await this.pause(signal);
    }
  }

  private async workOnce(signal: AbortSignal): Promise<unknown> {
    try {
      return await this.task.work(signal);
    } catch (error) {
      this.task.onError(error);
      return 'failed';
    }
  }

  private pause(signal: AbortSignal): Promise<void> {
    if ('pause' in this.task) return this.task.pause(signal);
    const percent = randomInt(100 - JITTER_PERCENT, 100 + JITTER_PERCENT + 1);
    return this.clock.sleep((this.task.everyMillis * percent) / 100, signal);
  }
}

/**
 * Returns a controller whose signal may have any number of listeners. Otherwise, Node warns if there are more than ten.
 */
export function sharedAbortController(): AbortController {
  const controller = new AbortController();
  setMaxListeners(0, controller.signal);
  return controller;
}

export interface WorkerTask {
  /** @throws Error if this task cannot start, and the worker process must not start without it */
  start(): void | Promise<void>;
  stop(drainMillis: number): Promise<void>;
}

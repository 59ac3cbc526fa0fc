import { setTimeout as pause } from 'node:timers/promises';
import {
  type ConnectionOptions,
  type IQueueBackend,
  type Job,
  type JobProgress,
  type RedisQueueBackend,
  Worker,
} from 'bullmq';

export const JOB_OPTIONS = { attempts: 1, removeOnComplete: true, removeOnFail: true } as const;

export const STREAM_OPTIONS = { events: { maxLen: 1 } } as const;

/**
 * Postgres decides whether a worker may act, so the lock of a job protects nothing and is not renewed. If a worker
 * dies, BullMQ deletes the job of that worker after an hour and does not run it again (`maxStalledCount` 0).
 */
export const CONSUMER_OPTIONS = {
  lockDuration: 3_600_000,
  skipLockRenewal: true,
  stalledInterval: 300_000,
  maxStalledCount: 0,
  // Time in milliseconds before BullMQ reconnects to a store that refused the connection. The default is 15 s.
  runRetryDelay: 1_000,
} as const;

const RETRY_MILLIS = 1_000;

/**
 * BullMQ itself pauses only after a refused connection. After other errors, it retries hundreds of times a second. If
 * such an error occurs without I/O, the retries block the process.
 */
export class BackoffWorker<
  Backend extends IQueueBackend = RedisQueueBackend,
  Connection = ConnectionOptions,
> extends Worker<unknown, void, string, Backend, JobProgress, Connection> {
  protected override async moveToActive(token: string, name?: string): Promise<Job<unknown, void>> {
    try {
      return await super.moveToActive(token, name);
    } catch (error) {
      await pause(RETRY_MILLIS);
      throw error;
    }
  }
}

import { setTimeout as pause } from 'node:timers/promises';
import {
  type ConnectionOptions,
  type IQueueBackend,
  type Job,
  type JobProgress,
  type RedisQueueBackend,
  Worker,
} from 'bullmq';

const RETRY_MILLIS = 1_000;

/**
 * A BullMQ worker that waits a second if it could not claim a job because of an error. BullMQ itself pauses only after
 * a refused connection. After other errors, it retries hundreds of times a second. If such an error occurs without I/O,
 * the retries block the process.
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

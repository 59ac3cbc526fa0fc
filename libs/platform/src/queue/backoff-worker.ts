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
 * Waits a second after a failed claim. BullMQ retries at once after every failure except a refused connection. It then
 * retries hundreds of times a second, and in a loop that blocks the process if the failure needs no I/O.
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

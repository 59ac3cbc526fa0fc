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
 * BullMQ claims again at once after any failure but a refused connection: hundreds of times per second, and where the failure
 * comes without I/O, in a loop in which nothing else of the process gets its turn.
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

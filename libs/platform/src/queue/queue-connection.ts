import type { DatabaseConfig } from '@app/platform/database';
import type { RedisConfig } from '@app/platform/redis';
import type { QueuedJob } from './job-batcher.js';

export type QueueSettings = Pick<RedisConfig, 'queuePrefix'> &
  Partial<RedisConfig & Pick<DatabaseConfig, 'databaseUrl'>>;

/**
 * A publisher sends jobs, and fails fast if the store of the queue is unavailable. A consumer waits for jobs. If the
 * store is unavailable, the consumer waits for it.
 */
export type QueueRole = 'publisher' | 'consumer';

export type QueueStatus =
  | {
      readonly ok: true;
      /** A problem that the operator should know about, although the queue works. */
      readonly warning?: string;
    }
  | { readonly ok: false; readonly problem: string };

export interface ConsumerSettings {
  queue: string;
  concurrency: number;
  /** Processes one job. Must not reject. `data` is external input, so the function must check it. */
  process: (name: string, data: unknown) => Promise<void>;
}

/** Claims and processes the jobs of one queue, from its creation until it is paused or closed. */
export interface Consumer {
  /** Stops taking jobs. Running jobs continue. */
  pause(): Promise<void>;
  /** Closes the consumer. Resolves when the running jobs have ended, however long they take. */
  close(): Promise<void>;
}

export interface QueueConnection {
  /** Stores the jobs. Rejects if they cannot be stored. */
  send(queue: string, jobs: readonly QueuedJob[]): Promise<void>;
  consume(settings: ConsumerSettings): Consumer;
  /** Checks whether the queue works. Never rejects. */
  check(): Promise<QueueStatus>;
  /** Closes every connection. Calls in progress fail or never settle. */
  close(): Promise<void>;
}

/** Injection token of the connection over which this process sends jobs. */
export const QUEUE_PUBLISHER = Symbol('QUEUE_PUBLISHER');

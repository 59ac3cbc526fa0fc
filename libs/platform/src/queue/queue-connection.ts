import type { DatabaseConfig } from '@app/platform/database';
import type { RedisConfig } from '@app/platform/redis';
import type { QueuedJob } from './job-batcher.js';

export type QueueSettings = Pick<RedisConfig, 'queuePrefix'> &
  Partial<RedisConfig & Pick<DatabaseConfig, 'databaseUrl'>>;

/** A publisher sends jobs and gives up fast; a consumer waits for jobs, and for its store if that is away. */
export type QueueRole = 'publisher' | 'consumer';

export type QueueStatus =
  | { readonly ok: true; /** What an operator should know although everything works. */ readonly warning?: string }
  | { readonly ok: false; /** What is wrong, as a sentence for the operator. */ readonly problem: string };

export interface ConsumerSettings {
  queue: string;
  /** Largest number of jobs that are processed at the same time. */
  concurrency: number;
  /** Must not reject. `data` comes from outside. */
  process: (name: string, data: unknown) => Promise<void>;
}

/** Takes jobs of one queue from the moment it exists. */
export interface Consumer {
  /** Takes no further job. Running jobs continue. */
  pause(): Promise<void>;
  /** Resolves when the running jobs have ended, however long they take. */
  close(): Promise<void>;
}

/** The interface to BullMQ, equal for Redis and Postgres. */
export interface QueueConnection {
  /** Stores the jobs in one round trip. Rejects if it cannot. */
  send(queue: string, jobs: readonly QueuedJob[]): Promise<void>;
  consume(settings: ConsumerSettings): Consumer;
  /** Never rejects. */
  check(): Promise<QueueStatus>;
  /** Closes every connection. Calls that are under way fail or never settle. */
  close(): Promise<void>;
}

/** Injection token of the connection that this process sends jobs with. */
export const QUEUE_PUBLISHER = Symbol('QUEUE_PUBLISHER');

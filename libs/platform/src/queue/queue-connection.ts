import type { DatabaseConfig } from '@app/platform/database';
import type { RedisConfig } from '@app/platform/redis';
import type { QueuedJob } from './job-batcher.js';

export type QueueSettings = Pick<RedisConfig, 'queuePrefix'> &
  Partial<RedisConfig & Pick<DatabaseConfig, 'databaseUrl'>>;

/** A publisher rings and gives up fast; a consumer waits for rings and for its store to come back. */
export type QueueRole = 'publisher' | 'consumer';

export type QueueStatus =
  | { readonly ok: true; /** What an operator should know although everything works. */ readonly warning?: string }
  | { readonly ok: false; /** What is wrong, as a sentence for the operator. */ readonly problem: string };

export interface ConsumerSettings {
  queue: string;
  /** The most jobs that are processed at the same time. */
  concurrency: number;
  /** Must not reject. `data` comes from outside. */
  process: (name: string, data: unknown) => Promise<void>;
}

/** Takes jobs of one queue from the moment it exists. */
export interface Consumer {
  /** Takes no further job; those in hand go on. */
  pause(): Promise<void>;
  /** Resolves when the jobs in hand have ended, however long they take. */
  close(): Promise<void>;
}

/** What the rest of this folder knows of BullMQ: the same on Redis and on Postgres. */
export interface QueueConnection {
  /** Resolves when all rings are stored, which takes one round trip. Rejects, sooner or later, when they are not. */
  send(queue: string, rings: readonly QueuedJob[]): Promise<void>;
  consume(settings: ConsumerSettings): Consumer;
  /** Never rejects. */
  check(): Promise<QueueStatus>;
  /** Lets go of every connection; what is still running fails or never ends. */
  close(): Promise<void>;
}

import type { DatabaseConfig } from '@app/platform/database';
import type { RedisConfig } from '@app/platform/redis';
import type { QueuedJob } from './job-batcher.js';

export type QueueSettings = Pick<RedisConfig, 'queuePrefix'> &
  Partial<RedisConfig & Pick<DatabaseConfig, 'databaseUrl'>>;

/** If the store is unavailable, the consumer waits for it. */
export type QueueRole = 'publisher' | 'consumer';

export type QueueStatus =
  | {
      readonly ok: true;
      readonly warning?: string;
    }
  | { readonly ok: false; readonly problem: string };

export interface ConsumerSettings {
  queue: string;
  concurrency: number;
  /** Must not reject. `data` is external input, so the function must check it. */
  process: (name: string, data: unknown) => Promise<void>;
}

export interface Consumer {
  pause(): Promise<void>;
  /** Resolves when the running jobs have ended, however long they take. */
  close(): Promise<void>;
}

export interface QueueConnection {
  send(queue: string, jobs: readonly QueuedJob[]): Promise<void>;
  consume(settings: ConsumerSettings): Consumer;
  check(): Promise<QueueStatus>;
  /** Calls in progress fail or never settle. */
  close(): Promise<void>;
}

export const QUEUE_PUBLISHER = Symbol('QUEUE_PUBLISHER');

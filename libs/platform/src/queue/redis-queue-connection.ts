import { Queue } from 'bullmq';
import { Redis, type RedisOptions } from 'ioredis';
import { CONSUMER_OPTIONS, JOB_OPTIONS, STREAM_OPTIONS } from './job-options.js';
import { BackoffWorker } from './backoff-worker.js';
import type { Consumer, ConsumerSettings, QueueConnection, QueueRole, QueueStatus } from './queue-connection.js';
import { redisStatus } from './redis-status.js';
import type { QueuedJob } from './job-batcher.js';

interface RedisQueueSettings {
  /** `redis://` or `rediss://` (TLS). */
  redisUrl: string;
  queuePrefix: string;
  role: QueueRole;
  onError: (error: unknown) => void;
}

const OPTIONS: Readonly<Record<QueueRole, RedisOptions>> = {
  // A job that cannot be sent now is dropped. A command that timed out may still be executed, which is harmless.
  publisher: { enableOfflineQueue: false, maxRetriesPerRequest: 1, commandTimeout: 300 },
  // The timeout is longer than the longest blocking read (IDLE_SECONDS), to which it also applies.
  consumer: { maxRetriesPerRequest: null, commandTimeout: 8_000 },
};

/** BullMQ queries the Redis version first. If that command times out, BullMQ never recovers. */
const WITHOUT_FIRST_COMMAND = { skipVersionCheck: true } as const;

/** How long one blocking read waits for a job. BullMQ drops a silent connection one second later. */
const IDLE_SECONDS = 5;

/**
 * BullMQ on Redis or Valkey. All queues share one connection. A consumer has one more connection for each queue, on
 * which it waits for jobs.
 */
export class RedisQueueConnection implements QueueConnection {
  private readonly client: Redis;
  private readonly queues = new Map<string, Queue>();
  /** The braces make all keys of the installation hash to one slot of a Redis Cluster. */
  private readonly prefix: string;
  private closed = false;

  constructor(private readonly settings: RedisQueueSettings) {
    this.prefix = `{${settings.queuePrefix}}`;
    this.client = new Redis(settings.redisUrl, {
      ...OPTIONS[settings.role],
      // The connections that BullMQ duplicates from this one also use this strategy, and may try to reconnect after
      // `close`.
      retryStrategy: (times) => (this.closed ? null : Math.min(50 * 2 ** Math.min(times, 8), 1_000)),
      // Time in milliseconds by which a broken connection may delay the exit of the process.
      disconnectTimeout: 300,
    });
    this.client.on('error', settings.onError);
  }

  async send(queue: string, jobs: readonly QueuedJob[]): Promise<void> {
    const target = this.queue(queue);
    const [first] = jobs;
    try {
      if (first && jobs.length === 1) await target.add(first.name, first.payload);
      else await target.addBulk(jobs.map(({ name, payload }) => ({ name, data: payload })));
    } catch (error) {
      this.reconnectWhenSilent(error);
      throw error;
    }
  }

  consume({ queue, concurrency, process }: ConsumerSettings): Consumer {
    const worker = new BackoffWorker(queue, (job) => process(job.name, job.data), {
      ...CONSUMER_OPTIONS,
      ...WITHOUT_FIRST_COMMAND,
      connection: this.client,
      prefix: this.prefix,
      concurrency,
      drainDelay: IDLE_SECONDS,
    });
    worker.on('error', (error) => {
      this.reconnectWhenSilent(error);
      this.settings.onError(error);
    });
    return {
      pause: async () => {
        await worker.pause(true);
        if (this.client.status !== 'ready') return; // No job arrives without a connection, and ping would hang.
        // Ends the current blocking read, which would otherwise still take one job. Waits until the connection is
        // closed.
        await worker.getBackend().disconnectBlocking(true);
        // Claims on the other connection were sent before this command, so they have ended when Redis responds to it.
        await this.client.ping();
      },
      close: () => worker.close(),
    };
  }

  check(): Promise<QueueStatus> {
    return redisStatus(this.client);
  }

  async close(): Promise<void> {
    this.closed = true;
    await Promise.all([...this.queues.values()].map((queue) => queue.close()));
    // A disconnect between two attempts to reconnect would leave waiting commands unsettled. The next attempt settles
    // them, and the connection is closed after it.
    if (this.client.status === 'reconnecting') this.client.once('ready', () => this.client.disconnect());
    else this.client.disconnect();
  }

  private queue(name: string): Queue {
    const known = this.queues.get(name);
    if (known) return known;
    const queue = new Queue(name, {
      connection: this.client,
      prefix: this.prefix,
      defaultJobOptions: JOB_OPTIONS,
      streams: STREAM_OPTIONS,
      ...WITHOUT_FIRST_COMMAND,
    });
    queue.on('error', this.settings.onError);
    this.queues.set(name, queue);
    return queue;
  }

  /** The operating system needs many minutes to notice a server that disappeared without closing the connection. */
  private reconnectWhenSilent(error: unknown): void {
    if (error instanceof Error && error.message === 'Command timed out') this.client.disconnect(true);
  }
}

import { Queue } from 'bullmq';
import { Redis, type RedisOptions } from 'ioredis';
import { CONSUMER_OPTIONS, JOB_OPTIONS, STREAM_OPTIONS, BackoffWorker } from './bullmq.js';
import type { Consumer, ConsumerSettings, QueueConnection, QueueRole, QueueStatus } from './queue-connection.js';
import { redisStatus } from './redis-status.js';
import { PackProcessor, packJobs, type QueuedJob } from './job-batcher.js';

interface RedisQueueSettings {
  /** `redis://` or `rediss://` (TLS). */
  redisUrl: string;
  queuePrefix: string;
  role: QueueRole;
  onError: (error: unknown) => void;
}

const OPTIONS: Readonly<Record<QueueRole, RedisOptions>> = {
  // Redis may still execute a command that timed out, which is harmless.
  publisher: { enableOfflineQueue: false, maxRetriesPerRequest: 1, commandTimeout: 300 },
  // The time limit also applies to blocking reads, so it is longer than such a read (IDLE_SECONDS).
  consumer: { maxRetriesPerRequest: null, commandTimeout: 8_000 },
};

/**
 * Makes BullMQ skip its first command, which queries the Redis version. If this command timed out, BullMQ would never
 * recover.
 */
const WITHOUT_FIRST_COMMAND = { skipVersionCheck: true } as const;

/**
 * Time in seconds for which one blocking read waits for a job. If Redis has not responded one second later, BullMQ
 * drops the connection.
 */
const IDLE_SECONDS = 5;

/**
 * All queues share one connection. A consumer has one additional connection for each queue, on which it waits for jobs.
 */
export class RedisQueueConnection implements QueueConnection {
  private readonly client: Redis;
  private readonly queues = new Map<string, Queue>();
  /** The braces make a Redis Cluster keep all keys of the installation in one slot. */
  private readonly prefix: string;
  private closed = false;

  constructor(private readonly settings: RedisQueueSettings) {
    this.prefix = `{${settings.queuePrefix}}`;
    this.client = new Redis(settings.redisUrl, {
      ...OPTIONS[settings.role],
      // After `close`, connections are not restored.
      retryStrategy: (times) => (this.closed ? null : Math.min(50 * 2 ** Math.min(times, 8), 1_000)),
      // Maximum time in milliseconds by which a broken connection delays the exit of the process.
      disconnectTimeout: 300,
    });
    this.client.on('error', settings.onError);
  }

  async send(queue: string, queued: readonly QueuedJob[]): Promise<void> {
    const target = this.queue(queue);
    const jobs = packJobs(queued);
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
    const processor = new PackProcessor(concurrency, process);
    const worker = new BackoffWorker(queue, (job) => processor.process(job.name, job.data), {
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
        processor.pause();
        await worker.pause(true);
        if (this.client.status !== 'ready') return;
        await worker.getBackend().disconnectBlocking(true);
        // Redis executes the commands of the shared connection in order. When it responds to this ping, it has executed
        // all earlier commands that claim a job.
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
    // While the client waits to reconnect, a disconnect would leave its commands pending forever. The client therefore
    // first connects again, which completes or rejects these commands, and then disconnects.
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

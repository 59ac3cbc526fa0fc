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
  // A ring that cannot leave now is lost at once. A command that timed out may still be carried out: rings are harmless.
  publisher: { enableOfflineQueue: false, maxRetriesPerRequest: 1, commandTimeout: 300 },
  // Longer than the longest blocking read (IDLE_SECONDS), which this limit applies to as well.
  consumer: { maxRetriesPerRequest: null, commandTimeout: 8_000 },
};

/** BullMQ asks for the version before anything else; where that command times out, it never works again. */
const WITHOUT_FIRST_COMMAND = { skipVersionCheck: true } as const;

/** How long one blocking read waits for a ring. BullMQ gives up on a silent connection one second later. */
const IDLE_SECONDS = 5;

/** BullMQ on Redis or Valkey. One connection for all queues, and for a consumer one more per queue to wait on. */
export class RedisQueueConnection implements QueueConnection {
  private readonly client: Redis;
  private readonly queues = new Map<string, Queue>();
  /** In braces, so that all keys of the installation hash to one slot of a Redis Cluster. */
  private readonly prefix: string;
  private closed = false;

  constructor(private readonly settings: RedisQueueSettings) {
    this.prefix = `{${settings.queuePrefix}}`;
    this.client = new Redis(settings.redisUrl, {
      ...OPTIONS[settings.role],
      // Also asked by the connections that BullMQ duplicates from this one, which it may try to restore after the end.
      retryStrategy: (times) => (this.closed ? null : Math.min(50 * 2 ** Math.min(times, 8), 1_000)),
      // How long a process that ends may be held up by a connection that is broken already.
      disconnectTimeout: 300,
    });
    this.client.on('error', settings.onError);
  }

  async send(queue: string, rings: readonly QueuedJob[]): Promise<void> {
    const target = this.queue(queue);
    const [first] = rings;
    try {
      if (first && rings.length === 1) await target.add(first.name, first.payload);
      else await target.addBulk(rings.map(({ name, payload }) => ({ name, data: payload })));
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
        if (this.client.status !== 'ready') return; // Nothing can be taken, and a connection that is not there never ends.
        // Ends the blocking read under way, which would otherwise still take one job. Waits until the connection is gone.
        await worker.getBackend().disconnectBlocking(true);
        // Claims that are under way on the other connection were sent before this, so they are over when it is answered.
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
    // Between two attempts to reconnect, ioredis takes a disconnect as the end of attempts and settles nothing that waits;
    // the next attempt does, because there is none after it.
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

  /** A peer that vanished without a word is only noticed by the operating system, and that takes many minutes. */
  private reconnectWhenSilent(error: unknown): void {
    if (error instanceof Error && error.message === 'Command timed out') this.client.disconnect(true);
  }
}

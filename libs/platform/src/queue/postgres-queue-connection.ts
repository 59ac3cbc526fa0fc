import { assertSchemaCompatibility, type BackendFactory, type PostgresConnectionOptions, Queue } from 'bullmq';
import { errorText } from '@app/kernel';
import { CONSUMER_OPTIONS, JOB_OPTIONS, STREAM_OPTIONS, BackoffWorker } from './bullmq.js';
import { PausablePostgresBackend, SharedPostgresConnection } from './pausable-postgres-backend.js';
import type { Consumer, ConsumerSettings, QueueConnection, QueueRole, QueueStatus } from './queue-connection.js';
import { PackProcessor, packJobs, type QueuedJob } from './job-batcher.js';

interface PostgresQueueSettings {
  databaseUrl: string;
  role: QueueRole;
  onError: (error: unknown) => void;
}

/** A consumer uses one session of its pool to listen for notifications. */
const POOL_SIZE: Readonly<Record<QueueRole, number>> = { publisher: 2, consumer: 6 };

/**
 * Up to this number, jobs are inserted with one statement for each job. A bulk insert is cheaper only for more jobs,
 * because it creates two temporary tables (about 4 ms and 35 KB of WAL).
 */
const ONE_BY_ONE_LIMIT = 16;

/** Interval in seconds at which an idle worker looks for jobs even without a notification. */
const IDLE_SECONDS = 30;

type PostgresQueue = Queue<
  object,
  void,
  string,
  object,
  void,
  string,
  PausablePostgresBackend,
  PostgresConnectionOptions
>;

export class PostgresQueueConnection implements QueueConnection {
  private readonly connection: SharedPostgresConnection;
  private readonly queues = new Map<string, PostgresQueue>();
  private readonly createBackend: BackendFactory<PausablePostgresBackend, PostgresConnectionOptions>;

  constructor(private readonly settings: PostgresQueueSettings) {
    this.connection = new SharedPostgresConnection({
      connectionString: settings.databaseUrl,
      application_name: `queue ${settings.role}`,
      max: POOL_SIZE[settings.role],
      min: 1,
      idleTimeoutMillis: 30_000,
      keepAlive: true,
      connectionTimeoutMillis: 2_000,
      query_timeout: 5_000,
      // A crash can therefore lose jobs, but not their work, which is recorded in other tables.
      options: '-c synchronous_commit=off',
    });
    // Every queue and worker adds its own listeners, so Node must not warn of a leak.
    this.connection.setMaxListeners(0);
    this.connection.on('error', settings.onError);
    this.createBackend = (queue, options) => new PausablePostgresBackend(this.connection, queue, options);
  }

  async send(queue: string, queued: readonly QueuedJob[]): Promise<void> {
    const target = this.queue(queue);
    const jobs = packJobs(queued);
    if (jobs.length > ONE_BY_ONE_LIMIT)
      await target.addBulk(jobs.map(({ name, payload }) => ({ name, data: payload })));
    else await Promise.all(jobs.map(({ name, payload }) => target.add(name, payload)));
  }

  consume({ queue, concurrency, process }: ConsumerSettings): Consumer {
    const processor = new PackProcessor(concurrency, process);
    const worker = new BackoffWorker(
      queue,
      (job) => processor.process(job.name, job.data),
      { ...CONSUMER_OPTIONS, connection: this.connection.pool, concurrency, drainDelay: IDLE_SECONDS },
      this.createBackend,
    );
    worker.on('error', this.settings.onError);
    return {
      pause: async () => {
        processor.pause();
        await worker.pause(true);
        // Ends the current wait for a job. The worker would otherwise still claim one more job.
        await worker.getBackend().disconnectBlocking();
      },
      close: () => worker.close(),
    };
  }

  async check(): Promise<QueueStatus> {
    try {
      await assertSchemaCompatibility(this.connection.pool, this.connection.schema);
      return { ok: true };
    } catch (error) {
      return { ok: false, problem: `The queue in Postgres is not available: ${errorText(error)}` };
    }
  }

  async close(): Promise<void> {
    await Promise.all([...this.queues.values()].map((queue) => queue.close()));
    await this.connection.end();
  }

  private queue(name: string): PostgresQueue {
    const known = this.queues.get(name);
    if (known) return known;
    const queue: PostgresQueue = new Queue(
      name,
      { connection: this.connection.pool, defaultJobOptions: JOB_OPTIONS, streams: STREAM_OPTIONS },
      this.createBackend,
    );
    queue.on('error', this.settings.onError);
    this.queues.set(name, queue);
    return queue;
  }
}

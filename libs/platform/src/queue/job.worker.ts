import { Inject, Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { invariant } from '@app/kernel';
import { redisConfig } from '@app/platform/redis';
import { type DatabaseConfig, databaseConfig } from '@app/platform/database';
import { LOGGER, type Logger, Metrics } from '@app/platform/observability';
import { type WorkerConfig, workerConfig } from '@app/platform/periodic';
import { settlesWithin } from './deadline.js';
import { isJobPayload, type JobCatalog, type JobProcessor, type JobProcessors } from './job.js';
import { openQueueConnection } from './open-queue-connection.js';
import type { Consumer, QueueConnection, QueueSettings } from './queue-connection.js';

export interface JobWorkerOptions {
  /** A queue that is not listed has the limit WORKER_CONCURRENCY. */
  concurrency?: Readonly<Record<string, number>>;
}

interface Entry {
  queue: string;
  process: JobProcessor<never>;
}

const GRACE_MILLIS = 1_000;

/**
 * Call `start`, optionally `pause`, then `close`, each once and in this order. If a job is lost in an outage, workers
 * find its work by polling.
 */
@Injectable()
export class JobWorker implements OnApplicationShutdown {
  private readonly entries = new Map<string, Entry>();
  private running = 0;
  private allEnded = (): void => undefined;
  private readonly jobs: ReturnType<typeof jobCounter>;
  private connection: QueueConnection | undefined;
  private consumers: Consumer[] = [];
  private closed: Promise<void> | undefined;

  constructor(
    @Inject(redisConfig.KEY) private readonly queue: Pick<QueueSettings, 'redisUrl' | 'queuePrefix'>,
    @Inject(databaseConfig.KEY) private readonly database: Pick<DatabaseConfig, 'databaseUrl'>,
    @Inject(workerConfig.KEY) private readonly config: Pick<WorkerConfig, 'workerConcurrency'>,
    @Inject(LOGGER) private readonly logger: Logger,
    metrics: Metrics,
  ) {
    this.jobs = jobCounter(metrics);
  }

  /**
   * If the store of the queue is unavailable, processing starts as soon as the store is available.
   * @throws if two jobs of the catalog have the same name
   */
  start<Catalog extends JobCatalog>(
    catalog: Catalog,
    processors: JobProcessors<Catalog>,
    { concurrency = {} }: JobWorkerOptions = {},
  ): void {
    invariant(!this.connection && !this.closed, 'a job worker is started once, before it is closed');
    for (const [key, { name, queue }] of Object.entries(catalog)) {
      invariant(!this.entries.has(name), `only one job is named ${name}`);
      this.entries.set(name, { queue, process: processors[key] as JobProcessor<never> });
    }
    const connection = openQueueConnection(
      { ...this.queue, databaseUrl: this.database.databaseUrl },
      'consumer',
      (error) => {
        this.logger.warn({ err: error }, 'queue: store not available; work is found by polling');
      },
    );
    this.connection = connection;
    const queues = new Set([...this.entries.values()].map((entry) => entry.queue));
    this.consumers = [...queues].map((queue) =>
      connection.consume({
        queue,
        concurrency: concurrency[queue] ?? this.config.workerConcurrency,
        process: (name, data) => this.process(queue, name, data),
      }),
    );
  }

  async pause(): Promise<void> {
    await settlesWithin(Promise.all(this.consumers.map((consumer) => consumer.pause())), GRACE_MILLIS);
  }

  /** Resolves at most three seconds after that time, even if jobs are still running. */
  close({ drainMillis }: { drainMillis: number }): Promise<void> {
    this.closed ??= this.drain(drainMillis);
    return this.closed;
  }

  /** Has no effect if the app has already called `close`. */
  onApplicationShutdown(): Promise<void> {
    return this.close({ drainMillis: 0 });
  }

  private async drain(millis: number): Promise<void> {
    await this.pause();
    const drained = Promise.all(this.consumers.map((consumer) => consumer.close()));
    // A consumer cannot close while the store of the queue is unavailable. The worker then waits only for the running
    // jobs.
    await settlesWithin(Promise.race([drained, this.jobsEnd()]), millis);
    await settlesWithin(drained, GRACE_MILLIS);
    if (this.connection) await settlesWithin(this.connection.close(), GRACE_MILLIS);
  }

  private jobsEnd(): Promise<void> {
    return this.running === 0 ? Promise.resolve() : new Promise((resolve) => (this.allEnded = resolve));
  }

  private async process(queue: string, name: string, data: unknown): Promise<void> {
    const entry = this.entries.get(name);
    if (!entry || !isJobPayload(data)) {
      // Workers of that release find the work by polling.
      this.logger.warn({ queue, job: name }, 'queue: unknown job dropped');
      this.jobs.inc({ queue, job: 'unknown', outcome: 'dropped' });
      return;
    }
    this.running += 1;
    try {
      // At run time, the service only checks that the payload is a flat object.
      await entry.process(data as never);
      this.jobs.inc({ queue, job: name, outcome: 'done' });
    } catch (error) {
      this.logger.error({ err: error, queue, job: name, payload: data }, 'queue: job failed');
      this.jobs.inc({ queue, job: name, outcome: 'failed' });
    } finally {
      this.running -= 1;
      if (this.running === 0) this.allEnded();
    }
  }
}

function jobCounter(metrics: Metrics) {
  return metrics.counter({
    name: 'aas_queue_jobs_total',
    help: 'Jobs that a processor took, by outcome: done, failed, dropped because the job is unknown.',
    labels: ['queue', 'job', 'outcome'],
  });
}

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
  /** Slots of a queue, by its name; WORKER_CONCURRENCY for those not named. */
  concurrency?: Readonly<Record<string, number>>;
}

interface Entry {
  queue: string;
  process: JobProcessor<never>;
}

const GRACE_MILLIS = 1_000;

/**
 * Runs the processors of a worker process. Life: made → `start` → (`pause`) → `close`; each step once, none back.
 * It outlives restarts of Redis and of Postgres. Jobs that an outage swallows are not its business: pollers find them.
 */
@Injectable()
export class JobWorker implements OnApplicationShutdown {
  private readonly entries = new Map<string, Entry>();
  private inHand = 0;
  private handsAreEmpty = (): void => undefined;
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

  /** Takes jobs from now on, or as soon as the store answers. Throws when two jobs of the catalog have the same name. */
  start<Catalog extends JobCatalog>(
    catalog: Catalog,
    processors: JobProcessors<Catalog>,
    { concurrency = {} }: JobWorkerOptions = {},
  ): void {
    invariant(!this.connection && !this.closed, 'a job worker is started once');
    for (const [key, { name, queue }] of Object.entries(catalog)) {
      invariant(!this.entries.has(name), `only one job is named ${name}`);
      this.entries.set(name, { queue, process: processors[key] as JobProcessor<never> });
    }
    const connection = openQueueConnection(
      { ...this.queue, databaseUrl: this.database.databaseUrl },
      'consumer',
      (error) => {
        this.logger.warn({ err: error }, 'The queue is not available; work is found by polling');
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

  /** Takes no further job. Those in hand go on. */
  async pause(): Promise<void> {
    await settlesWithin(Promise.all(this.consumers.map((consumer) => consumer.pause())), GRACE_MILLIS);
  }

  /**
   * Takes no further job and gives those in hand `drainMillis` to end. One or two seconds after that this resolves in any case,
   * without those that have not ended.
   */
  close({ drainMillis }: { drainMillis: number }): Promise<void> {
    this.closed ??= this.drain(drainMillis);
    return this.closed;
  }

  /** For an app that was not closed in order: it gets no time to drain. */
  onApplicationShutdown(): Promise<void> {
    return this.close({ drainMillis: 0 });
  }

  private async drain(millis: number): Promise<void> {
    await this.pause();
    const drained = Promise.all(this.consumers.map((consumer) => consumer.close()));
    // A consumer whose store is away would go on closing for as long as that lasts; jobs are what is worth waiting for.
    await settlesWithin(Promise.race([drained, this.jobsEnd()]), millis);
    await settlesWithin(drained, GRACE_MILLIS);
    if (this.connection) await settlesWithin(this.connection.close(), GRACE_MILLIS);
  }

  /** Resolves when no job is in hand. */
  private jobsEnd(): Promise<void> {
    return this.inHand === 0 ? Promise.resolve() : new Promise((resolve) => (this.handsAreEmpty = resolve));
  }

  private async process(queue: string, name: string, data: unknown): Promise<void> {
    const entry = this.entries.get(name);
    if (!entry || !isJobPayload(data)) {
      // During an update the other release may know jobs that this one does not; its own workers poll for them.
      this.logger.warn({ queue, job: name }, 'A ring that this worker does not understand was dropped');
      this.jobs.inc({ queue, job: 'unknown', outcome: 'dropped' });
      return;
    }
    this.inHand += 1;
    try {
      // The publisher's type for this name; of the shape at run time only flatness is known.
      await entry.process(data as never);
      this.jobs.inc({ queue, job: name, outcome: 'done' });
    } catch (error) {
      this.logger.error({ err: error, queue, job: name, payload: data }, 'A job failed');
      this.jobs.inc({ queue, job: name, outcome: 'failed' });
    } finally {
      this.inHand -= 1;
      if (this.inHand === 0) this.handsAreEmpty();
    }
  }
}

function jobCounter(metrics: Metrics) {
  return metrics.counter({
    name: 'aas_queue_jobs_total',
    help: 'Jobs that a processor took, by outcome: done, failed, dropped (not understood).',
    labels: ['queue', 'job', 'outcome'],
  });
}

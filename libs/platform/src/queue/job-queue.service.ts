import { Inject, Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { LOGGER, type Logger, Metrics } from '@app/platform/observability';
import { settlesWithin } from './deadline.js';
import type { Job } from './job.js';
import { QUEUE_PUBLISHER, type QueueConnection, type QueueStatus } from './queue-connection.js';
import { JobBatcher, type JobBatchObserver } from './job-batcher.js';

const BATCHES = { capacity: 10_000, batchSize: 500 } as const;
const CLOSE_MILLIS = 1_000;

/**
 * A job only makes a worker look for work earlier than its next poll, so no code may depend on the arrival of a job.
 */
@Injectable()
export class JobQueueService implements OnApplicationShutdown {
  private readonly batchers = new Map<string, JobBatcher>();
  private readonly enqueued: ReturnType<typeof enqueuedCounters>;
  private closing = false;

  constructor(
    @Inject(QUEUE_PUBLISHER) private readonly connection: QueueConnection,
    @Inject(LOGGER) private readonly logger: Logger,
    metrics: Metrics,
  ) {
    this.enqueued = enqueuedCounters(metrics);
  }

  /**
   * Call it after the commit (`transaction.afterCommit`), because a worker could otherwise look for the work before it
   * is committed. Returns at once and never throws, even if the queue is unavailable.
   */
  enqueue<Payload extends object>(job: Job<Payload>, payload: NoInfer<Payload>): void {
    if (this.closing) return this.count(job.queue, 'dropped', 1);
    this.batcher(job.queue).add({ name: job.name, payload });
  }

  /** If Redis may evict jobs (any `maxmemory-policy` except noeviction), the status is not ok. */
  check(): Promise<QueueStatus> {
    return this.connection.check();
  }

  async close(): Promise<void> {
    if (this.closing) return;
    this.closing = true;
    await settlesWithin(Promise.all([...this.batchers.values()].map((batcher) => batcher.idle())), CLOSE_MILLIS);
    await settlesWithin(this.connection.close(), CLOSE_MILLIS);
  }

  onApplicationShutdown(): Promise<void> {
    return this.close();
  }

  private batcher(queue: string): JobBatcher {
    const known = this.batchers.get(queue);
    if (known) return known;
    const batcher = new JobBatcher((jobs) => this.connection.send(queue, jobs), BATCHES, this.observer(queue));
    this.batchers.set(queue, batcher);
    return batcher;
  }

  private observer(queue: string): JobBatchObserver {
    return {
      sent: (count) => this.count(queue, 'sent', count),
      merged: () => this.count(queue, 'merged', 1),
      dropped: () => this.count(queue, 'dropped', 1),
      failed: (count, error) => {
        this.count(queue, 'failed', count);
        this.logger.warn({ err: error }, 'queue: sending jobs failed; workers find their work by polling');
      },
    };
  }

  private count(queue: string, outcome: 'sent' | 'merged' | 'dropped' | 'failed', by: number): void {
    for (const counter of this.enqueued) counter.inc({ queue, outcome }, by);
  }
}

function enqueuedCounters(metrics: Metrics) {
  return ['aas_queue_enqueued_jobs_total', 'aas_queue_rings_total'].map((name) =>
    metrics.counter({
      name,
      help: 'Jobs that this process enqueued, by outcome: sent, merged with an equal waiting job, dropped because the buffer was full, failed.',
      labels: ['queue', 'outcome'],
    }),
  );
}

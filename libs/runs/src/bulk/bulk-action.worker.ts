import { Clock } from '@app/kernel';
import { LOGGER, type Logger } from '@app/platform/observability';
import { PeriodicTask, type WorkerConfig, workerConfig, type WorkerTask } from '@app/platform/periodic';
import { Inject, Injectable } from '@nestjs/common';
import { BulkActionRunnerService } from './bulk-action-runner.service.js';
import { BulkActionStore } from './bulk-action.store.js';

const HOUR_MILLIS = 3_600_000;
/** Longer than an idempotency key may count, so a repeated request finds the bulk action that it started. */
const KEPT_DAYS = 31;
/** Rows per commit. */
const PURGED_AT_ONCE = 1_000;

/** Carries out bulk actions, one turn after the other, and deletes old ones. */
@Injectable()
export class BulkActionWorker implements WorkerTask {
  private readonly tasks: readonly PeriodicTask[];

  constructor(
    private readonly runner: BulkActionRunnerService,
    private readonly store: BulkActionStore,
    clock: Clock,
    @Inject(workerConfig.KEY) { pollMillis, leaseMillis }: WorkerConfig,
    @Inject(LOGGER) logger: Logger,
  ) {
    this.tasks = [
      new PeriodicTask(clock, {
        everyMillis: pollMillis,
        work: async (signal) => ((await this.runner.takeTurn(leaseMillis, signal)) ? 'again' : 'done'),
        onError: (error) => logger.warn({ err: error }, 'bulk actions: a turn failed'),
      }),
      new PeriodicTask(clock, {
        everyMillis: HOUR_MILLIS,
        waitsFirst: true,
        work: () => this.purge(),
        onError: (error) => logger.warn({ err: error }, 'retention: deleting bulk actions failed'),
      }),
    ];
  }

  start(): void {
    for (const task of this.tasks) task.start();
  }

  async stop(): Promise<void> {
    await Promise.all(this.tasks.map((task) => task.stop()));
  }

  /** Deletes one batch. */
  async purge(): Promise<'again' | 'done'> {
    return (await this.store.purge(KEPT_DAYS, PURGED_AT_ONCE)) > 0 ? 'again' : 'done';
  }
}

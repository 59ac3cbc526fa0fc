import { Clock } from '@app/kernel';
import { LOGGER, type Logger } from '@app/platform/observability';
import { PeriodicTask } from '@app/platform/periodic';
import { Inject, Injectable } from '@nestjs/common';
import { RunStatisticsService, STATISTICS_BUCKETS, type StatisticsBucket } from './run-statistics.service.js';

/**
 * Statistics may be at most ten seconds late. The interval, its jitter and the duration of a round are together much
 * shorter than ten seconds.
 */
const EVERY_MILLIS = 3_000;
const HOUR_MILLIS = 3_600_000;
const BATCH = 5_000;
const KEPT_DAYS: Readonly<Record<StatisticsBucket, number>> = { '1h': 93, '1d': 1_100 };

@Injectable()
export class RunStatisticsWorker {
  private readonly tasks: readonly PeriodicTask[];

  constructor(
    private readonly statistics: RunStatisticsService,
    clock: Clock,
    @Inject(LOGGER) logger: Logger,
  ) {
    this.tasks = [
      new PeriodicTask(clock, {
        everyMillis: EVERY_MILLIS,
        work: () => this.countEndedRuns(),
        onError: (error) => logger.warn({ err: error }, 'statistics: counting ended runs failed'),
      }),
      new PeriodicTask(clock, {
        everyMillis: HOUR_MILLIS,
        waitsFirst: true,
        work: () => this.purgeSums(),
        onError: (error) => logger.warn({ err: error }, 'retention: deleting statistics failed'),
      }),
    ];
  }

  start(): void {
    for (const task of this.tasks) task.start();
  }

  async stop(): Promise<void> {
    await Promise.all(this.tasks.map((task) => task.stop()));
  }

  async countEndedRuns(): Promise<'again' | 'done'> {
    return (await this.statistics.rollUp(BATCH)) === BATCH ? 'again' : 'done';
  }

  async purgeSums(): Promise<'again' | 'done'> {
    const purged = STATISTICS_BUCKETS.map((bucket) => this.statistics.purge(bucket, KEPT_DAYS[bucket], BATCH));
    return (await Promise.all(purged)).includes(BATCH) ? 'again' : 'done';
  }
}

import { Clock, lowestId } from '@app/kernel';
import { type RetentionConfig, retentionConfig } from './retention.config.js';
import { LOGGER, type Logger } from '@app/platform/observability';
import { PeriodicTask } from '@app/platform/periodic';
import { Inject, Injectable } from '@nestjs/common';
import { type MonthlyLog, MonthlyLogs } from './monthly-logs.js';

const HOUR_MILLIS = 3_600_000;
const DAY_MILLIS = 24 * HOUR_MILLIS;
/** Nobody has to be in a hurry, then, where a lock cannot be had. */
const MONTHS_AHEAD = 3;

/**
 * Sees to the months of the audit log and of the trigger log: makes them ahead of time, and drops those whose last day is older
 * than what is to be kept. Every worker does this, when it starts and hour by hour; one at a time comes to it.
 */
@Injectable()
export class MonthKeeper {
  private readonly tasks: readonly PeriodicTask[];

  constructor(
    private readonly logs: MonthlyLogs,
    private readonly clock: Clock,
    @Inject(retentionConfig.KEY) config: Pick<RetentionConfig, 'auditRetentionDays' | 'triggerLogRetentionDays'>,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {
    this.tasks = [
      this.task('audit_events', config.auditRetentionDays),
      this.task('trigger_events', config.triggerLogRetentionDays),
    ];
  }

  start(): void {
    for (const task of this.tasks) task.start();
  }

  async stop(): Promise<void> {
    await Promise.all(this.tasks.map((task) => task.stop()));
  }

  /** `days`: how long the log is kept; 0: for ever. */
  async keep(log: MonthlyLog, days: number): Promise<void> {
    const now = this.clock.now();
    const made = await this.logs.make(log, now, MONTHS_AHEAD);
    if (made.length > 0) this.logger.info({ log, made }, 'months were made');
    if (days === 0) return;
    const dropped = await this.logs.drop(log, lowestId('event', now.getTime() - days * DAY_MILLIS));
    if (dropped.length > 0)
      this.logger.info({ log, dropped }, 'months were dropped, they are older than is to be kept');
  }

  private task(log: MonthlyLog, days: number): PeriodicTask {
    return new PeriodicTask(this.clock, {
      everyMillis: HOUR_MILLIS,
      work: () => this.keep(log, days),
      onError: (error) => this.logger.warn({ err: error, log }, 'the months of a log could not be kept'),
    });
  }
}

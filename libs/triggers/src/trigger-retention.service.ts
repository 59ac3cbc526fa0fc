import { Clock, lowestId } from '@app/kernel';
import { type RetentionConfig, retentionConfig } from '@app/runs';
import { LOGGER, type Logger } from '@app/platform/observability';
import { PeriodicTask } from '@app/platform/periodic';
import { Inject, Injectable } from '@nestjs/common';
import { TriggerEventStore } from './trigger-event.store.js';

const MINUTE_MILLIS = 60_000;
const HOUR_MILLIS = 60 * MINUTE_MILLIS;
const DAY_MILLIS = 24 * HOUR_MILLIS;
const BATCH = 1_000;

/**
 * Forgets events whose repetitions need not be recognised any more, and old lines of the trigger log. Every worker does this;
 * they do not get in each other's way.
 */
@Injectable()
export class TriggerRetentionService {
  private readonly tasks: readonly PeriodicTask[];

  constructor(
    private readonly store: TriggerEventStore,
    private readonly clock: Clock,
    @Inject(retentionConfig.KEY) private readonly config: RetentionConfig,
    @Inject(LOGGER) logger: Logger,
  ) {
    this.tasks = [
      new PeriodicTask(clock, {
        everyMillis: MINUTE_MILLIS,
        waitsFirst: true,
        work: async () => ((await store.purgeReceipts(BATCH)) === BATCH ? 'again' : 'done'),
        onError: (error) => logger.warn({ err: error }, 'old trigger receipts could not be forgotten'),
      }),
      new PeriodicTask(clock, {
        everyMillis: HOUR_MILLIS,
        waitsFirst: true,
        work: () => this.purgeLog(),
        onError: (error) => logger.warn({ err: error }, 'old lines of the trigger log could not be forgotten'),
      }),
    ];
  }

  start(): void {
    for (const task of this.tasks) task.start();
  }

  async stop(): Promise<void> {
    await Promise.all(this.tasks.map((task) => task.stop()));
  }

  /** One batch; `again` where there may be more. */
  async purgeLog(): Promise<'again' | 'done'> {
    const before = this.clock.now().getTime() - this.config.triggerLogRetentionDays * DAY_MILLIS;
    return (await this.store.purgeEvents(lowestId('event', before), BATCH)) === BATCH ? 'again' : 'done';
  }
}

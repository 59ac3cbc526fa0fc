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

/** A batch skips rows that another worker has locked. */
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
        onError: (error) => logger.warn({ err: error }, 'retention: purging trigger receipts failed'),
      }),
      new PeriodicTask(clock, {
        everyMillis: HOUR_MILLIS,
        waitsFirst: true,
        work: () => this.purgeLog(),
        onError: (error) => logger.warn({ err: error }, 'retention: purging trigger events failed'),
      }),
    ];
  }

  start(): void {
    for (const task of this.tasks) task.start();
  }

  async stop(): Promise<void> {
    await Promise.all(this.tasks.map((task) => task.stop()));
  }

  async purgeLog(): Promise<'again' | 'done'> {
    const before = this.clock.now().getTime() - this.config.triggerLogRetentionDays * DAY_MILLIS;
    return (await this.store.purgeEvents(lowestId('event', before), BATCH)) === BATCH ? 'again' : 'done';
  }
}

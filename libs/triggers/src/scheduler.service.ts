import { Clock } from '@app/kernel';
import { LOGGER, type Logger } from '@app/platform/observability';
import { PeriodicTask, workerConfig, type WorkerConfig } from '@app/platform/periodic';
import { Inject, Injectable } from '@nestjs/common';
import { type DueSchedule, decideFire } from './fire-decision.js';
import { ScheduleStore } from './schedule.store.js';
import { ScheduledRunsService } from './scheduled-runs.service.js';

const BATCH = 200;
/** How many are fired at the same time: each is one round trip, and the runs of this worker need the database as well. */
const LANES = 4;
/** Longer than a batch takes. If this process dies over one, others fire what is left of it after this time. */
const LEASE_MILLIS = 30_000;

/**
 * Fires schedules. Every worker does this: the database hands each that is due to one of them, by its own clock. With nothing due
 * it costs one look into an index for each round, however many schedules there are.
 */
@Injectable()
export class SchedulerService {
  private readonly task: PeriodicTask;

  constructor(
    private readonly store: ScheduleStore,
    private readonly runs: ScheduledRunsService,
    clock: Clock,
    @Inject(workerConfig.KEY) config: WorkerConfig,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {
    this.task = new PeriodicTask(clock, {
      everyMillis: config.pollMillis,
      work: () => this.round(),
      onError: (error) => logger.warn({ err: error }, 'schedules that are due could not be asked for'),
    });
  }

  start(): void {
    this.task.start();
  }

  /** Resolves when the schedules in hand have been dealt with. */
  stop(): Promise<void> {
    return this.task.stop();
  }

  private async round(): Promise<'again' | 'done'> {
    const due = await this.store.due(BATCH, LEASE_MILLIS);
    const waiting = due.values();
    await Promise.all(Array.from({ length: LANES }, () => this.work(waiting)));
    return due.length === BATCH ? 'again' : 'done';
  }

  private async work(waiting: Iterable<DueSchedule>): Promise<void> {
    for (const schedule of waiting) {
      try {
        await this.fire(schedule);
      } catch (error) {
        // It is handed out again when its lease is over.
        const { agentId, triggerId } = schedule;
        this.logger.warn({ err: error, agentId, triggerId }, 'a schedule could not be fired');
      }
    }
  }

  private async fire(schedule: DueSchedule): Promise<void> {
    const decision = decideFire(schedule);
    if (decision.kind === 'plan') return this.store.plan(schedule, decision);
    await this.runs.fire(schedule, decision);
  }
}

import { Clock } from '@app/kernel';
import { DueWorkService } from '@app/platform/database';
import { LOGGER, type Logger } from '@app/platform/observability';
import { PeriodicTask } from '@app/platform/periodic';
import { Inject, Injectable } from '@nestjs/common';
import { type DueSchedule, decideFire } from './fire-decision.js';
import { DUE_SCHEDULES, ScheduleStore } from './schedule.store.js';
import { ScheduledRunsService } from './scheduled-runs.service.js';

const BATCH = 200;
/** It is small, so that the runs of this worker get enough database connections. */
const LANES = 4;
/**
 * A batch takes less time than this. If this process dies, other workers fire the remaining schedules of the batch when
 * the lease has expired.
 */
const LEASE_MILLIS = 30_000;

@Injectable()
export class SchedulerService extends PeriodicTask {
  constructor(
    private readonly store: ScheduleStore,
    private readonly runs: ScheduledRunsService,
    clock: Clock,
    dueWork: DueWorkService,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {
    super(clock, {
      pause: dueWork.untilDue(DUE_SCHEDULES),
      work: () => this.round(),
      onError: (error) => logger.warn({ err: error }, 'schedules: reading due schedules failed'),
    });
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
        // The failure is only logged, because the schedule becomes due again when its lease expires.
        const { agentId, triggerId } = schedule;
        this.logger.warn({ err: error, agentId, triggerId }, 'schedules: firing a schedule failed');
      }
    }
  }

  private async fire(schedule: DueSchedule): Promise<void> {
    const decision = decideFire(schedule);
    if (decision.kind === 'plan') return this.store.plan(schedule, decision);
    await this.runs.fire(schedule, decision);
  }
}

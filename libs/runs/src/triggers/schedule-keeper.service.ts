import { randomInt } from 'node:crypto';
import { Clock } from '@app/kernel';
import { ENV, type Env } from '@app/platform/config';
import { LOGGER, type Logger } from '@app/platform/observability';
import { Inject, Injectable } from '@nestjs/common';
import { type DueSchedule, decideFire } from './fire-decision.js';
import { ScheduleJournal } from './schedule-journal.js';
import { ScheduledRuns } from './scheduled-runs.service.js';

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
export class ScheduleKeeper {
  private readonly stopped = new AbortController();
  private keeping: Promise<void> = Promise.resolve();

  constructor(
    private readonly journal: ScheduleJournal,
    private readonly runs: ScheduledRuns,
    private readonly clock: Clock,
    @Inject(ENV) private readonly env: Env,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  start(): void {
    this.keeping = this.keep();
  }

  /** Resolves when the schedules in hand have been dealt with. */
  async stop(): Promise<void> {
    this.stopped.abort();
    await this.keeping;
  }

  private async keep(): Promise<void> {
    const { signal } = this.stopped;
    while (!signal.aborted) {
      const hadMore = await this.round();
      // A fifth of jitter either way, so that the workers of a fleet do not all ask at once.
      if (!hadMore) await this.clock.sleep((this.env.pollMillis * randomInt(80, 121)) / 100, signal);
    }
  }

  /** Whether there may be more to do at once. */
  private async round(): Promise<boolean> {
    try {
      const due = await this.journal.due(BATCH, LEASE_MILLIS);
      const waiting = due.values();
      await Promise.all(Array.from({ length: LANES }, () => this.work(waiting)));
      return due.length === BATCH;
    } catch (error) {
      this.logger.warn({ err: error }, 'schedules that are due could not be asked for');
      return false;
    }
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
    if (decision.kind === 'plan') return this.journal.plan(schedule, decision);
    await this.runs.fire(schedule, decision);
  }
}

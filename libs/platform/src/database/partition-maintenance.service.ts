import { type Clock, lowestId } from '@app/kernel';
import type { Logger } from '@app/platform/observability';
import { PeriodicTask } from '@app/platform/periodic';
import { Injectable } from '@nestjs/common';
import { type Statement, Statements } from './statements.js';

const HOUR_MILLIS = 3_600_000;
const DAY_MILLIS = 24 * HOUR_MILLIS;
/** The workers can therefore be down for a long time before a partition is missing. */
const MONTHS_AHEAD = 3;

const MAKE: Statement = {
  name: 'platform_make_months',
  text: 'select made as partition from platform.make_months($1, $2, $3) made',
};
const DROP: Statement = {
  name: 'platform_drop_months',
  text: 'select dropped as partition from platform.drop_months($1, $2) dropped',
};

/** Its migration calls `platform.begin_months`. */
export interface MonthlyTable {
  name: string;
  days: number;
}

/** Only one process at a time changes a table. */
@Injectable()
export class PartitionMaintenanceService {
  private readonly tasks: readonly PeriodicTask[];

  constructor(
    private readonly statements: Statements,
    private readonly clock: Clock,
    private readonly logger: Logger,
    tables: readonly MonthlyTable[],
  ) {
    this.tasks = tables.map((table) => this.task(table));
  }

  start(): void {
    for (const task of this.tasks) task.start();
  }

  async stop(): Promise<void> {
    await Promise.all(this.tasks.map((task) => task.stop()));
  }

  async maintainPartitions({ name: table, days }: MonthlyTable): Promise<void> {
    const now = this.clock.now();
    const made = await this.makePartitions(table, MONTHS_AHEAD);
    if (made.length > 0) this.logger.info({ table, made }, 'partition maintenance: partitions created');
    if (days === 0) return;
    const dropped = await this.dropPartitions(table, lowestId('event', now.getTime() - days * DAY_MILLIS));
    if (dropped.length > 0) this.logger.info({ table, dropped }, 'partition maintenance: expired partitions dropped');
  }

  /**
   * If another process is changing the table, returns an empty list.
   * @throws DomainError `unavailable`, without a change, if another session locks the table for more than 200 ms
   */
  async makePartitions(table: string, monthsAhead: number): Promise<string[]> {
    return this.changePartitions(MAKE, [table, this.clock.now(), monthsAhead]);
  }

  /**
   * If another process is changing the table, returns an empty list.
   * @throws DomainError `unavailable`, without a change, if another session locks the table for more than 200 ms
   */
  async dropPartitions(table: string, beforeId: string): Promise<string[]> {
    return this.changePartitions(DROP, [table, beforeId]);
  }

  private async changePartitions(operation: Statement, values: unknown[]): Promise<string[]> {
    const rows = await this.statements.query<{ partition: string }>(operation, values);
    return rows.map(({ partition }) => partition);
  }

  private task(table: MonthlyTable): PeriodicTask {
    return new PeriodicTask(this.clock, {
      everyMillis: HOUR_MILLIS,
      work: () => this.maintainPartitions(table),
      onError: (error) =>
        this.logger.warn({ err: error, table: table.name }, 'partition maintenance: failed; retrying within an hour'),
    });
  }
}

import { type Statement, Statements } from '@app/platform/database';
import { Injectable } from '@nestjs/common';

/** What is kept in partitions by month (sql/months.sql). */
export type MonthlyLog = 'audit_events' | 'trigger_events';

const MAKE: Statement = {
  name: 'run_machine_make_months',
  text: 'select made as part from platform.make_months($1, $2, $3) made',
};
const DROP: Statement = {
  name: 'run_machine_drop_months',
  text: 'select dropped as part from platform.drop_months($1, $2) dropped',
};

/**
 * The gateway to the months of logs. Both methods wait for a lock for a fifth of a second at most and do nothing while another
 * process is at it.
 */
@Injectable()
export class MonthlyLogs {
  constructor(private readonly statements: Statements) {}

  /**
   * Makes what is missing of the month of `now` and of so many after it; the names of the partitions.
   * @throws DomainError `unavailable` where the log was in use for longer than that
   */
  async make(log: MonthlyLog, now: Date, monthsAhead: number): Promise<string[]> {
    return this.partsOf(MAKE, [log, now, monthsAhead]);
  }

  /**
   * Drops months that have ended before this event id, and all that is older; the names of the partitions.
   * @throws DomainError `unavailable` where the log was in use for longer than that
   */
  async drop(log: MonthlyLog, beforeId: string): Promise<string[]> {
    return this.partsOf(DROP, [log, beforeId]);
  }

  private async partsOf(operation: Statement, values: unknown[]): Promise<string[]> {
    const rows = await this.statements.query<{ part: string }>(operation, values);
    return rows.map(({ part }) => part);
  }
}

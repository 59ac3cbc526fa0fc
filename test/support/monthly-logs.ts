import { lowestId } from '@app/kernel';
import type { MonthlyLog } from '../../libs/runs/src/retention/monthly-logs.js';

type Query = (text: string) => Promise<unknown>;

/** What the ids of a month begin with; `month` 1 is January, and 13 that of the next year. */
export const monthId = (year: number, month: number): string => lowestId('event', Date.UTC(year, month - 1));

/**
 * As if this log had been divided into months at another time than the template of the test databases was: none is made yet, and
 * everything from `first` on (the lowest id of a month) goes to `…_later`. The log has to be empty.
 */
export async function beginMonths(query: Query, log: MonthlyLog, first: string): Promise<void> {
  await query(`alter table ${log} detach partition ${log}_before`);
  await query(`alter table ${log} detach partition ${log}_later`);
  await query(`alter table ${log} attach partition ${log}_before for values from (minvalue) to ('${first}')`);
  await query(`alter table ${log} attach partition ${log}_later for values from ('${first}') to (maxvalue)`);
}

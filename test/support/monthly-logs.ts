import { lowestId } from '@app/kernel';

type Query = (text: string) => Promise<unknown>;

/** Returns the lowest event id of a month. `month` is 1 to 12, or 13 for January of the next year. */
export const monthId = (year: number, month: number): string => lowestId('event', Date.UTC(year, month - 1));

/**
 * Moves the start of the monthly partitions of an empty log, as if the database had been created in another month.
 * `first` is the lowest event id of that other month.
 */
export async function startPartitionsAt(query: Query, log: string, first: string): Promise<void> {
  await query(`alter table ${log} detach partition ${log}_before`);
  await query(`alter table ${log} detach partition ${log}_later`);
  await query(`alter table ${log} attach partition ${log}_before for values from (minvalue) to ('${first}')`);
  await query(`alter table ${log} attach partition ${log}_later for values from ('${first}') to (maxvalue)`);
}

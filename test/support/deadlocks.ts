type Query = (text: string) => Promise<unknown>;

/**
 * Has sessions that are opened from now on look for a deadlock after so little waiting that they find it before a batch gives up on
 * a lock (50 ms), after which its calls are made one by one and nobody else would notice.
 */
export async function findDeadlocksSoon(query: Query): Promise<void> {
  await query(
    `do $$ begin execute format('alter database %I set deadlock_timeout = ''5ms''', current_database()); end $$`,
  );
}

/** How often Postgres has broken a deadlock in this database. */
export async function countDeadlocks(query: Query): Promise<number | undefined> {
  const text = 'select deadlocks::integer from pg_stat_database where datname = current_database()';
  const [row] = (await query(text)) as { deadlocks: number }[];
  return row?.deadlocks;
}

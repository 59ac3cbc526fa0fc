type Query = (text: string) => Promise<unknown>;

/**
 * Reduces the deadlock timeout of sessions that are opened after this call. These sessions detect a deadlock before a
 * batch gives up on a lock, which takes 50 ms. Otherwise the batch would retry its calls one by one and hide the
 * deadlock.
 */
export async function shortenDeadlockTimeout(query: Query): Promise<void> {
  await query(
    `do $$ begin execute format('alter database %I set deadlock_timeout = ''5ms''', current_database()); end $$`,
  );
}

/** Returns the number of deadlocks that Postgres has detected in this database. */
export async function countDeadlocks(query: Query): Promise<number | undefined> {
  const text = 'select deadlocks::integer from pg_stat_database where datname = current_database()';
  const [row] = (await query(text)) as { deadlocks: number }[];
  return row?.deadlocks;
}

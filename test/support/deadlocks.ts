type Query = (text: string) => Promise<unknown>;

/**
 * Reduces the time after which Postgres detects a deadlock, for all sessions that are opened later. By default, this
 * time is longer than the lock timeout of batches (50 ms). A batch that reaches its lock timeout retries its calls one
 * by one, which would hide a deadlock.
 */
export async function shortenDeadlockTimeout(query: Query): Promise<void> {
  await query(
    `do $$ begin execute format('alter database %I set deadlock_timeout = ''5ms''', current_database()); end $$`,
  );
}

export async function countDeadlocks(query: Query): Promise<number | undefined> {
  const text = 'select deadlocks::integer from pg_stat_database where datname = current_database()';
  const [row] = (await query(text)) as { deadlocks: number }[];
  return row?.deadlocks;
}

import { PostgresConnection, type PgPoolClient, runMigrations } from 'bullmq';

/**
 * Rings, and BullMQ's record of what happened to them, as unlogged tables: they write no WAL (3.0 KB per ring otherwise)
 * and are empty after a crash of the server, which is all that a doorbell needs. Tables that refer to another come first.
 */
const MAKE_VOLATILE = {
  job_log: 'ALTER TABLE bullmq.job_log SET UNLOGGED',
  job_dependency: 'ALTER TABLE bullmq.job_dependency SET UNLOGGED',
  job: 'ALTER TABLE bullmq.job SET UNLOGGED',
  event: 'ALTER TABLE bullmq.event SET UNLOGGED',
} as const;

const LOGGED_TABLES = `
  SELECT relname FROM pg_class
  WHERE relnamespace = 'bullmq'::regnamespace AND relkind = 'r' AND relpersistence = 'p'`;

/**
 * Brings the schema `bullmq` of this database to the release in use. Safe to repeat and to run from several processes at
 * once. Only the Postgres backend needs it; with Redis it does no harm. Rejects with the driver's error.
 */
export async function migrateQueue(databaseUrl: string): Promise<void> {
  const connection = new PostgresConnection({
    connectionString: databaseUrl,
    application_name: 'queue migration',
    connectionTimeoutMillis: 5_000,
    max: 1,
  });
  try {
    const client = await connection.pool.connect();
    client.on('error', () => undefined); // The statement under way rejects with the same error.
    try {
      await runMigrations(client);
      await makeVolatile(client);
    } finally {
      client.release(true);
    }
  } finally {
    await connection.close();
  }
}

/** The change rewrites a table under an exclusive lock, so it is only made where it was not made before. */
async function makeVolatile(client: PgPoolClient): Promise<void> {
  const { rows } = await client.query<{ relname: string }>(LOGGED_TABLES);
  const logged = new Set(rows.map((row) => row.relname));
  for (const [table, statement] of Object.entries(MAKE_VOLATILE)) if (logged.has(table)) await client.query(statement);
}

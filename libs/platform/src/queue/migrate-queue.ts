import { PostgresConnection, type PgPoolClient, runMigrations } from 'bullmq';

/**
 * Such tables write no WAL, which saves 3.0 KB for each job. They are empty after a crash of the server, which is
 * acceptable, because jobs may be lost. Tables with a foreign key come before the tables that they refer to.
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

/** Safe to repeat, and to run from several processes at once. Only a queue on Postgres needs it. */
export async function migrateQueue(databaseUrl: string): Promise<void> {
  const connection = new PostgresConnection({
    connectionString: databaseUrl,
    application_name: 'queue migration',
    connectionTimeoutMillis: 5_000,
    max: 1,
  });
  try {
    const client = await connection.pool.connect();
    client.on('error', () => undefined); // The current statement rejects with the same error.
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

/** Skips tables that are already unlogged, because the change rewrites a table under an exclusive lock. */
async function makeVolatile(client: PgPoolClient): Promise<void> {
  const { rows } = await client.query<{ relname: string }>(LOGGED_TABLES);
  const logged = new Set(rows.map((row) => row.relname));
  for (const [table, statement] of Object.entries(MAKE_VOLATILE)) if (logged.has(table)) await client.query(statement);
}

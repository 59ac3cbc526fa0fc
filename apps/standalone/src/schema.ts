import { migrateQueue } from '@app/platform/queue';
import { migrateSchema } from '@app/installation';

/**
 * Updates the tables and SQL functions to this release, and the schema of the queue if Postgres stores the queue.
 * Returns a description of the changes.
 */
export async function updateSchema(databaseUrl: string, queueInPostgres: boolean): Promise<string> {
  const { migrations, functionSets } = await migrateSchema(databaseUrl);
  if (queueInPostgres) await migrateQueue(databaseUrl);
  const count = migrations.length;
  if (count > 0) return `schema created, ${count} ${count === 1 ? 'migration' : 'migrations'}`;
  return functionSets.length > 0 ? `schema up to date, replaced ${functionSets.join(', ')}` : 'schema up to date';
}

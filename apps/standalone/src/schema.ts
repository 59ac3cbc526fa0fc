import { migrateQueue } from '@app/platform/queue';
import { migrateSchema } from '@app/installation';

/**
 * Updates tables, SQL functions and, if the queue is in Postgres, its schema to this release. Returns a description of
 * the changes.
 */
export async function updateSchema(databaseUrl: string, queueInPostgres: boolean): Promise<string> {
  const { migrations, functionSets } = await migrateSchema(databaseUrl);
  if (queueInPostgres) await migrateQueue(databaseUrl);
  const count = migrations.length;
  if (count > 0) return `schema created, ${count} ${count === 1 ? 'migration' : 'migrations'}`;
  return functionSets.length > 0 ? `schema up to date, replaced ${functionSets.join(', ')}` : 'schema up to date';
}

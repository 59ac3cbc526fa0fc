import { migrateQueue } from '@app/platform/queue';
import { migrateSchema } from '@app/installation';

/** Brings tables, SQL functions and the queue's own schema to this release; answers what changed, for people. */
export async function updateSchema(databaseUrl: string, queueInPostgres: boolean): Promise<string> {
  const { migrations, functionSets } = await migrateSchema(databaseUrl);
  if (queueInPostgres) await migrateQueue(databaseUrl);
  const count = migrations.length;
  if (count > 0) return `schema made, ${count} ${count === 1 ? 'migration' : 'migrations'}`;
  return functionSets.length > 0 ? `schema up to date, renewed ${functionSets.join(', ')}` : 'schema up to date';
}

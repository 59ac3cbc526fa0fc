import { join } from 'node:path';
import { migrateDatabase, type MigrationReport, readSqlFunctionSet } from '@app/platform/database';
import { eventFunctions } from '@app/events';

/** The whole schema step of the service: tables first, then the functions that work on them. */
export async function migrateSchema(databaseUrl: string): Promise<MigrationReport> {
  const runMachine = readSqlFunctionSet('run_machine', join(import.meta.dirname, 'sql'));
  return migrateDatabase(databaseUrl, [eventFunctions(), runMachine]);
}

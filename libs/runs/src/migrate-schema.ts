import { join } from 'node:path';
import { migrateDatabase, type MigrationReport, readSqlFunctionSet } from '@app/platform/database';

/** The whole schema step of the service: tables first, then the run state machine that works on them. */
export async function migrateSchema(databaseUrl: string): Promise<MigrationReport> {
  return migrateDatabase(databaseUrl, [readSqlFunctionSet('run_machine', join(import.meta.dirname, 'sql'))]);
}

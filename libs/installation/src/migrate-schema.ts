import { eventFunctions } from '@app/events';
import { migrateDatabase, type MigrationReport } from '@app/platform/database';
import { runFunctions } from '@app/runs';

/** The whole schema step of the service: tables first, then the functions of each lib, lower libs first. */
export function migrateSchema(databaseUrl: string): Promise<MigrationReport> {
  return migrateDatabase(databaseUrl, [eventFunctions(), runFunctions()]);
}

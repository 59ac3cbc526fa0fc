import { agentsSchema } from '@app/agents';
import { connectionsSchema } from '@app/connections';
import { evaluationSchema } from '@app/evaluation';
import { eventsSchema } from '@app/events';
import { knowledgeSchema } from '@app/knowledge';
import {
  type FormerMigrations,
  type LibSchema,
  migrateDatabase,
  migrationNames,
  type MigrationReport,
} from '@app/platform/database';
import { runsSchema } from '@app/runs';
import { triggersSchema } from '@app/triggers';
import { workspaceSchema } from '@app/workspace';

/** The schemas of all libs: each lib after those that its tables refer to. */
export const LIB_SCHEMAS: readonly LibSchema[] = [
  workspaceSchema,
  connectionsSchema,
  eventsSchema,
  agentsSchema,
  knowledgeSchema,
  runsSchema,
  triggersSchema,
  evaluationSchema,
];

/** What the database needs to have for this release, by the names in `schema_migrations`. */
export const MIGRATION_NAMES: readonly string[] = migrationNames(LIB_SCHEMAS);

/** The migrations of development before the first release. They lay in platform. */
export const FORMER_MIGRATIONS: FormerMigrations = { count: 35, last: 'KeptRuns1767020000000' };

/** The schema step of the service: the tables and the SQL functions of all libs. */
export function migrateSchema(databaseUrl: string): Promise<MigrationReport> {
  return migrateDatabase(databaseUrl, LIB_SCHEMAS, FORMER_MIGRATIONS);
}

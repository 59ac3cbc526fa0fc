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

/** The schemas of all libs. A lib comes after the libs that its tables reference. */
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

/** The migrations that this release requires, by their names in `schema_migrations`. */
export const MIGRATION_NAMES: readonly string[] = migrationNames(LIB_SCHEMAS);

/** The migrations before the first release. The baselines replace them. */
export const FORMER_MIGRATIONS: FormerMigrations = { count: 35, last: 'KeptRuns1767020000000' };

/** Creates or updates the tables and SQL functions of all libs. */
export function migrateSchema(databaseUrl: string): Promise<MigrationReport> {
  return migrateDatabase(databaseUrl, LIB_SCHEMAS, FORMER_MIGRATIONS);
}

import { agentsSchema } from '@app/agents';
import { connectionsSchema } from '@app/connections';
import { evaluationSchema } from '@app/evaluation';
import { eventsSchema } from '@app/events';
import { filesSchema } from '@app/files';
import { knowledgeSchema } from '@app/knowledge';
import {
  type FormerMigrations,
  type LibSchema,
  migrateDatabase,
  migrationNames,
  type MigrationReport,
  type MonthlyTable,
} from '@app/platform/database';
import { runsSchema, retentionConfig } from '@app/runs';
import { triggersSchema } from '@app/triggers';
import { workspaceSchema } from '@app/workspace';
import type { Config } from '@app/platform/config';

/** The schemas of all libs. A lib comes after every lib whose tables it references. */
export const LIB_SCHEMAS: readonly LibSchema[] = [
  workspaceSchema,
  connectionsSchema,
  eventsSchema,
  filesSchema,
  agentsSchema,
  knowledgeSchema,
  runsSchema,
  triggersSchema,
  evaluationSchema,
];

/** The migrations that this release requires, by their names in `schema_migrations`. */
export const MIGRATION_NAMES: readonly string[] = migrationNames(LIB_SCHEMAS);

/** The migrations that existed before the first release. The baseline migrations replace them. */
export const FORMER_MIGRATIONS: FormerMigrations = { count: 35, last: 'KeptRuns1767020000000' };

export function migrateSchema(databaseUrl: string): Promise<MigrationReport> {
  return migrateDatabase(databaseUrl, LIB_SCHEMAS, FORMER_MIGRATIONS);
}

/**
 * Creates the tables of an earlier release in an empty database by running only the given migrations. Afterwards,
 * {@link migrateSchema} updates them to this release and installs the SQL functions.
 */
export async function createSchemaAt(databaseUrl: string, migrations: readonly string[]): Promise<void> {
  const wanted = new Set(migrations);
  const libs = LIB_SCHEMAS.map(({ baseline, migrations: later = [] }): LibSchema => ({
    ...(baseline !== undefined && wanted.has(baseline.name) ? { baseline } : {}),
    migrations: later.filter(({ name }) => wanted.has(name)),
  }));
  await migrateDatabase(databaseUrl, libs, FORMER_MIGRATIONS);
}

/** The tables that are partitioned by month. Workers create and drop their partitions. */
export function monthlyTables(config: Config): MonthlyTable[] {
  const { auditRetentionDays, triggerLogRetentionDays } = config.get(retentionConfig);
  return [
    { name: 'audit_events', days: auditRetentionDays },
    { name: 'trigger_events', days: triggerLogRetentionDays },
  ];
}

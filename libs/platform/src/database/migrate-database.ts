import { join } from 'node:path';
import { DataSource, type QueryRunner } from 'typeorm';
import { createDataSource } from './data-source.js';
import { type FormerMigrations, recordBaselines } from './former-migrations.js';
import { type LibSchema, migrationsOf } from './lib-schema.js';
import { installSqlFunctions, type SqlFunctionFolder } from './install-sql-functions.js';
import { installTenantPolicies } from './tenant-policies.js';

const MIGRATION_LOCK = 7_310_417;

/**
 * Folder of the SQL functions in the schema `platform`. The SQL and the baseline migrations of all libs may call these
 * functions, so they are installed before the migrations run.
 */
const PLATFORM_FUNCTIONS: SqlFunctionFolder = { name: 'platform', path: join(import.meta.dirname, 'sql') };

export interface MigrationReport {
  migrations: string[];
  functionSets: string[];
}

/** Concurrent calls of several processes are safe, because they wait for each other. A second run changes nothing. */
export async function migrateDatabase(
  url: string,
  libs: readonly LibSchema[],
  former: FormerMigrations,
): Promise<MigrationReport> {
  const { options } = createDataSource({ url, poolSize: 2, applicationName: 'migrate' });
  const dataSource = new DataSource({ ...options, migrations: migrationsOf(libs) });
  await dataSource.initialize();
  try {
    const lock = dataSource.createQueryRunner();
    try {
      await lock.query('set statement_timeout = 0');
      await lock.query('set lock_timeout = 0');
      await lock.query('select pg_advisory_lock($1)', [MIGRATION_LOCK]);
      await inTransaction(lock, () => recordBaselines(lock, libs, former));
      const platform = await inTransaction(lock, () => installAll(lock, [PLATFORM_FUNCTIONS]));
      const migrations = await dataSource.runMigrations({ transaction: 'each' });
      // Tables need their policies before functions that access them with the tenant role are installed.
      await installTenantPolicies(lock);
      const folders = libs.flatMap(({ functions }) => functions ?? []);
      const installed = await inTransaction(lock, () => installAll(lock, folders));
      await installTenantPolicies(lock);
      return { migrations: migrations.map(({ name }) => name), functionSets: [...platform, ...installed] };
    } finally {
      await lock.release();
    }
  } finally {
    // Closing the connections also releases the advisory lock.
    await dataSource.destroy();
  }
}

async function installAll(lock: QueryRunner, folders: readonly SqlFunctionFolder[]): Promise<string[]> {
  const installed: string[] = [];
  for (const folder of folders) if (await installSqlFunctions(lock, folder)) installed.push(folder.name);
  return installed;
}

async function inTransaction<T>(lock: QueryRunner, work: () => Promise<T>): Promise<T> {
  await lock.startTransaction();
  const result = await work();
  await lock.commitTransaction();
  return result;
}

import { createDataSource } from './data-source.js';
import { installTenantPolicies } from './tenant-policies.js';
import { installSqlFunctions, type SqlFunctionSet } from './sql-functions.js';

// Any number; what matters is that every migration step of every process asks for the same one.
const MIGRATION_LOCK = 7_310_417;

export interface MigrationReport {
  migrations: string[];
  functionSets: string[];
}

/**
 * Brings the schema to this release: migrations first, then the sets of SQL functions whose text changed.
 * Safe to run from any number of processes at once (they take turns) and to repeat (the second time changes nothing).
 */
export async function migrateDatabase(url: string, functionSets: readonly SqlFunctionSet[]): Promise<MigrationReport> {
  const dataSource = createDataSource({ url, poolSize: 2, applicationName: 'migrate' });
  await dataSource.initialize();
  try {
    const lock = dataSource.createQueryRunner();
    try {
      await lock.query('set statement_timeout = 0');
      await lock.query('set lock_timeout = 0');
      await lock.query('select pg_advisory_lock($1)', [MIGRATION_LOCK]);
      const migrations = await dataSource.runMigrations({ transaction: 'each' });
      // New tables get theirs before the functions that work on them as the tenant's role.
      await installTenantPolicies(lock);
      await lock.startTransaction();
      const installed: string[] = [];
      for (const set of functionSets) if (await installSqlFunctions(lock, set)) installed.push(set.name);
      await lock.commitTransaction();
      await installTenantPolicies(lock);
      return { migrations: migrations.map((migration) => migration.name), functionSets: installed };
    } finally {
      await lock.release();
    }
  } finally {
    // Closing the connections also lets go of the advisory lock.
    await dataSource.destroy();
  }
}

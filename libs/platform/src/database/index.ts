export { Cursors } from './cursors.js';
export { createDataSource, heardPool } from './data-source.js';
export {
  databaseFailure,
  isLockTimeoutOn,
  isStatementTimeout,
  isTransientDatabaseFailure,
  isUnique,
  orUnavailable,
  wasRefused,
} from './database-failure.js';
export { DatabaseHealthService } from './database-health.service.js';
export { DatabaseModule } from './database.module.js';
export { type DueWork, DueWorkService } from './due-work.service.js';
export type { FormerMigrations } from './former-migrations.js';
export { type LibSchema, migrationNames, migrationsOf } from './lib-schema.js';
export { migrateDatabase, type MigrationReport } from './migrate-database.js';
export { Notifications } from './notifications.js';
export { findPage } from './pages.js';
export { PartitionMaintenanceModule } from './partition-maintenance.module.js';
export { type MonthlyTable, PartitionMaintenanceService } from './partition-maintenance.service.js';
export { probeSession, type SessionKind } from './session-probe.js';
export { ReservedStatements } from './reserved-statements.js';
export { servicePool } from './service-pool.js';
export { SnapshotsService } from './snapshots.service.js';
export { StorageAlarmService } from './storage-alarm.service.js';
export { type BatchedStatement, byteaText, type Statement, Statements } from './statements.js';
export { installTenantPolicies } from './tenant-policies.js';
export { TenantRole, withoutTenantRole } from './tenant-role.js';
export { type Transaction, Transactions } from './transactions.js';
export { type DatabaseConfig, databaseConfig, requireDatabaseUrl } from './database.config.js';

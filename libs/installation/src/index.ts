/**
 * What an installation consists of: the schema of all libs, the ports that bind them, and the invariants that must
 * hold.
 */
export { checkInvariants, type Violation } from './invariants/check-invariants.js';
export { InvariantsModule } from './invariants/invariants.module.js';
export { MIGRATION_NAMES, migrateSchema } from './migrate-schema.js';
export { monthlyTables } from './monthly-tables.js';
export { PortsModule } from './ports.module.js';

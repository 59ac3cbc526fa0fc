/** The parts that make up an installation: the schema of all libs, the bindings of their ports, and the invariants. */
export { checkInvariants, type Violation } from './invariants/check-invariants.js';
export { InvariantsModule } from './invariants/invariants.module.js';
export { createSchemaAt, FORMER_MIGRATIONS, MIGRATION_NAMES, migrateSchema, monthlyTables } from './migrate-schema.js';
export { PortsModule } from './ports.module.js';

/**
 * Clients of SQL databases that belong to tenants. Each connection lives in a process of its own (`sandbox`), because no byte
 * sequence of a hostile server may end, block or bloat the service.
 */
export { openReader, type ReaderSettings } from './open-reader.js';
export { RowPace } from './row-pace.js';
export type { SqlKind } from './sql-target.js';
export { type TableReader, TableReadError, type TableRow } from './table-reader.js';

/**
 * Each connection runs in a confined process (see `sandbox`), so that a hostile server cannot end or block the service
 * or exhaust its memory.
 */
export { callSql, type SqlCallSettings } from './call-sql.js';
export { type SqlAnswer, SqlCallError, type SqlOrder } from './sql-call.js';
export { openReader, type ReaderSettings } from './open-reader.js';
export { RowPace } from './row-pace.js';
export type { SqlKind } from './sql-target.js';
export { type TableReader, TableReadError, type TableRow } from './table-reader.js';

/**
 * A change of ENCRYPTION_KEY: what the previous keys have sealed is sealed again with the current one. Each lib says which of
 * its tables hold sealed values, and how; whoever changes the key gathers those and runs them.
 */
export { Renewal } from './renewal.js';
export { renewedColumns } from './renewed-columns.js';
export { type ResealProgress, type ResealReport, Resealing } from './resealing.js';
export type { FoundRow, SealedTable } from './sealed-table.js';

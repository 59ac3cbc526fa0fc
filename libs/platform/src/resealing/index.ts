/**
 * A change of ENCRYPTION_KEY: what the previous keys have sealed is sealed again with the current one. Each lib says which of
 * its tables hold sealed values, and how; whoever changes the key gathers those and runs them.
 */
export type { Renewal } from './renewal.js';
export { type ResealProgress, type ResealReport, Resealing } from './resealing.js';
export { sealedBytes, sealedJson } from './sealed-columns.js';
export type { FoundRow, SealedTable } from './sealed-table.js';

/** The rotation command passes all of them to {@link Resealing}. */
export type { Renewal, FoundRow, SealedTable } from './sealed-table.js';
export { type ResealProgress, type ResealReport, Resealing } from './resealing.js';
export { sealedBytes, sealedJson } from './sealed-columns.js';

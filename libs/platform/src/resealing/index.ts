/**
 * Rotation of ENCRYPTION_KEY: values that were sealed (encrypted) with a previous key are sealed again with the current
 * key. Each lib lists its tables with sealed values. The rotation command passes all of them to {@link Resealing}.
 */
export type { Renewal, FoundRow, SealedTable } from './sealed-table.js';
export { type ResealProgress, type ResealReport, Resealing } from './resealing.js';
export { sealedBytes, sealedJson } from './sealed-columns.js';

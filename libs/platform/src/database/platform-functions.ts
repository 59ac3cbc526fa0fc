import { join } from 'node:path';
import { readSqlFunctionSet, type SqlFunctionSet } from './sql-functions.js';

/** The functions in sql/, which those of every lib may call. */
export function platformFunctions(): SqlFunctionSet {
  return readSqlFunctionSet('platform', join(import.meta.dirname, 'sql'));
}

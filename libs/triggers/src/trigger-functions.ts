import { join } from 'node:path';
import { readSqlFunctionSet, type SqlFunctionSet } from '@app/platform/database';

/** The functions in sql/, for the migration step. */
export function triggerFunctions(): SqlFunctionSet {
  return readSqlFunctionSet('triggers', join(import.meta.dirname, 'sql'));
}

import { join } from 'node:path';
import { readSqlFunctionSet, type SqlFunctionSet } from '@app/platform/database';

/** The functions in sql/, for the migration step. */
export function evaluationFunctions(): SqlFunctionSet {
  return readSqlFunctionSet('evaluation', join(import.meta.dirname, 'sql'));
}

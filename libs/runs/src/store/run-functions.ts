import { join } from 'node:path';
import { readSqlFunctionSet, type SqlFunctionSet } from '@app/platform/database';

/** The functions in sql/, for the migration step. */
export function runFunctions(): SqlFunctionSet {
  return readSqlFunctionSet('run_machine', join(import.meta.dirname, '../sql'));
}

import { join } from 'node:path';
import { readSqlFunctionSet, type SqlFunctionSet } from '@app/platform/database';

/** The functions in sql/, for the migration step. */
export function workspaceFunctions(): SqlFunctionSet {
  return readSqlFunctionSet('workspace', join(import.meta.dirname, 'sql'));
}

import { join } from 'node:path';
import { readSqlFunctionSet, type SqlFunctionSet } from '@app/platform/database';

/** The functions in sql/, for the migration step. */
export function eventFunctions(): SqlFunctionSet {
  return readSqlFunctionSet('events', join(import.meta.dirname, 'sql'));
}

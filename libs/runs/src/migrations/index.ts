import { join } from 'node:path';
import type { LibSchema } from '@app/platform/database';

/** The tables and SQL functions of this lib. */
export const runsSchema: LibSchema = {
  baseline: { name: 'RunsBaseline1768000000500', path: join(import.meta.dirname, '1768000000500-runs-baseline.sql') },
  functions: { name: 'run_machine', path: join(import.meta.dirname, '../sql') },
};

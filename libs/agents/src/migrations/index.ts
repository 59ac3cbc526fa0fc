import { join } from 'node:path';
import type { LibSchema } from '@app/platform/database';

/** The tables and SQL functions of this lib. */
export const agentsSchema: LibSchema = {
  baseline: {
    name: 'AgentsBaseline1768000000300',
    path: join(import.meta.dirname, '1768000000300-agents-baseline.sql'),
  },
  functions: { name: 'agents', path: join(import.meta.dirname, '../sql') },
};

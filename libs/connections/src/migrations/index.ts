import { join } from 'node:path';
import type { LibSchema } from '@app/platform/database';

/** The tables of this lib. */
export const connectionsSchema: LibSchema = {
  baseline: {
    name: 'ConnectionsBaseline1768000000100',
    path: join(import.meta.dirname, '1768000000100-connections-baseline.sql'),
  },
};

import { join } from 'node:path';
import type { LibSchema } from '@app/platform/database';

/** The tables and SQL functions of this lib. */
export const eventsSchema: LibSchema = {
  baseline: {
    name: 'EventsBaseline1768000000200',
    path: join(import.meta.dirname, '1768000000200-events-baseline.sql'),
  },
  functions: { name: 'events', path: join(import.meta.dirname, '../sql') },
};

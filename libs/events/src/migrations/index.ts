import { join } from 'node:path';
import type { LibSchema } from '@app/platform/database';
import { EventSnapshots1768100000000 } from './1768100000000-event-snapshots.js';

/** The tables and SQL functions of this lib. */
export const eventsSchema: LibSchema = {
  baseline: {
    name: 'EventsBaseline1768000000200',
    path: join(import.meta.dirname, '1768000000200-events-baseline.sql'),
  },
  migrations: [EventSnapshots1768100000000],
  functions: { name: 'events', path: join(import.meta.dirname, '../sql') },
};

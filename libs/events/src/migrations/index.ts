import { join } from 'node:path';
import type { LibSchema } from '@app/platform/database';
import { SnapshotsOnly1795486200000 } from './1795486200000-snapshots-only.js';
import { FailedDeliveries1796001700000 } from './1796001700000-failed-deliveries.js';

export const eventsSchema: LibSchema = {
  baseline: {
    name: 'EventsBaseline1768000000200',
    path: join(import.meta.dirname, '1768000000200-events-baseline.sql'),
  },
  migrations: [SnapshotsOnly1795486200000, FailedDeliveries1796001700000],
  functions: { name: 'events', path: join(import.meta.dirname, '../sql') },
};

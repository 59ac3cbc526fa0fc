import { join } from 'node:path';
import type { LibSchema } from '@app/platform/database';
import { PollTriggers1795600700000 } from './1795600700000-poll-triggers.js';

export const triggersSchema: LibSchema = {
  baseline: {
    name: 'TriggersBaseline1768000000600',
    path: join(import.meta.dirname, '1768000000600-triggers-baseline.sql'),
  },
  migrations: [PollTriggers1795600700000],
  functions: { name: 'triggers', path: join(import.meta.dirname, '../sql') },
};

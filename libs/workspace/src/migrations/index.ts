import { join } from 'node:path';
import type { LibSchema } from '@app/platform/database';

/** The tables and SQL functions of this lib. */
export const workspaceSchema: LibSchema = {
  baseline: {
    name: 'WorkspaceBaseline1768000000000',
    path: join(import.meta.dirname, '1768000000000-workspace-baseline.sql'),
  },
  functions: { name: 'workspace', path: join(import.meta.dirname, '../sql') },
};

import { join } from 'node:path';
import type { LibSchema } from '@app/platform/database';

export const knowledgeSchema: LibSchema = {
  baseline: {
    name: 'KnowledgeBaseline1768000000400',
    path: join(import.meta.dirname, '1768000000400-knowledge-baseline.sql'),
  },
};

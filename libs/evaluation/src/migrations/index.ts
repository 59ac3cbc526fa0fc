import { join } from 'node:path';
import type { LibSchema } from '@app/platform/database';

export const evaluationSchema: LibSchema = {
  baseline: {
    name: 'EvaluationBaseline1768000000700',
    path: join(import.meta.dirname, '1768000000700-evaluation-baseline.sql'),
  },
  functions: { name: 'evaluation', path: join(import.meta.dirname, '../sql') },
};

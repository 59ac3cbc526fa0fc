import { join } from 'node:path';
import type { LibSchema } from '@app/platform/database';
import { SourceAccounts1795926600000 } from './1795926600000-source-accounts.js';
import { StoredUploads1796002200000 } from './1796002200000-stored-uploads.js';
import { UnmovedUploads1796002200001 } from './1796002200001-unmoved-uploads.js';

export const knowledgeSchema: LibSchema = {
  baseline: {
    name: 'KnowledgeBaseline1768000000400',
    path: join(import.meta.dirname, '1768000000400-knowledge-baseline.sql'),
  },
  migrations: [SourceAccounts1795926600000, StoredUploads1796002200000, UnmovedUploads1796002200001],
};

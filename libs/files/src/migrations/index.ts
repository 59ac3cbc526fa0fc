import { join } from 'node:path';
import type { LibSchema } from '@app/platform/database';
import { Files1795955300000 } from './1795955300000-files.js';
import { FileLinks1795957800000 } from './1795957800000-file-links.js';
import { FileStorage1795962600000 } from './1795962600000-file-storage.js';
import { FileReferences1796000100000 } from './1796000100000-file-references.js';
import { MissingBytes1796000200000 } from './1796000200000-missing-bytes.js';
import { FilesByUse1796000200001 } from './1796000200001-files-by-use.js';
import { WrittenFiles1796002000000 } from './1796002000000-written-files.js';
import { FilesByWrite1796002000001 } from './1796002000001-files-by-write.js';
import { DocumentFiles1796002100000 } from './1796002100000-document-files.js';
import { Fixtures1796500200000 } from './1796500200000-fixtures.js';

export const filesSchema: LibSchema = {
  migrations: [
    Files1795955300000,
    FileLinks1795957800000,
    FileStorage1795962600000,
    FileReferences1796000100000,
    MissingBytes1796000200000,
    FilesByUse1796000200001,
    WrittenFiles1796002000000,
    FilesByWrite1796002000001,
    DocumentFiles1796002100000,
    Fixtures1796500200000,
  ],
  functions: { name: 'files', path: join(import.meta.dirname, '../sql') },
};

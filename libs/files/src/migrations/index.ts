import type { LibSchema } from '@app/platform/database';
import { Files1795955300000 } from './1795955300000-files.js';
import { FileLinks1795957800000 } from './1795957800000-file-links.js';
import { FileStorage1795962600000 } from './1795962600000-file-storage.js';

export const filesSchema: LibSchema = {
  migrations: [Files1795955300000, FileLinks1795957800000, FileStorage1795962600000],
};

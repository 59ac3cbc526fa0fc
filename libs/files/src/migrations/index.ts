import type { LibSchema } from '@app/platform/database';
import { Files1795955300000 } from './1795955300000-files.js';

export const filesSchema: LibSchema = { migrations: [Files1795955300000] };

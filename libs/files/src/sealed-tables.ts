import { sealedBytes, type SealedTable } from '@app/platform/resealing';
import { fileKeyCell } from './content/file-contents.service.js';

/** The bytes of files stay as they are. */
export const SEALED_FILE_TABLES: readonly SealedTable[] = [
  sealedBytes({ table: 'files', key: { id: 'text' }, row: 't.id', columns: ['key'] }, ({ workspace, row }) =>
    fileKeyCell(workspace, row),
  ),
];

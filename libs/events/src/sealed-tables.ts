import { sealedBytes, type SealedTable } from '@app/platform/resealing';
import { endpointSecretCell, SECRET_COLUMNS } from './endpoint-secrets.service.js';

export const SEALED_WEBHOOK_TABLES: readonly SealedTable[] = [
  sealedBytes(
    { table: 'webhook_endpoints', key: { id: 'text' }, row: 't.id', columns: SECRET_COLUMNS },
    ({ workspace, row }, column) =>
      endpointSecretCell(
        { workspaceId: workspace, endpointId: row },
        column === 'secret' ? 'secret' : 'previous_secret',
      ),
  ),
];

import { sealedBytes, type SealedTable } from '@app/platform/resealing';
import { formerSecretCell } from './former-secret.store.js';
import { idempotentResponseCell } from './idempotency.store.js';
import { secretCell } from './secrets.service.js';

export const SEALED_WORKSPACE_TABLES: readonly SealedTable[] = [
  sealedBytes(
    { table: 'secrets', key: { workspace_id: 'text', name: 'text' }, row: 't.name', columns: ['value'] },
    ({ workspace, row }) => secretCell(workspace, row),
  ),
  sealedBytes(
    {
      table: 'idempotency_keys',
      key: { workspace_id: 'text', endpoint: 'text', key: 'text' },
      row: `t.endpoint || ' ' || t.key`,
      columns: ['response'],
    },
    ({ workspace, row }) => idempotentResponseCell(workspace, row),
  ),
  sealedBytes(
    {
      table: 'former_secrets',
      key: { owner_id: 'text', n: 'integer' },
      row: 't.owner_id',
      columns: ['sealed'],
    },
    ({ workspace, row }) => formerSecretCell({ workspaceId: workspace, ownerId: row }),
  ),
];

import { sealedBytes, type SealedTable } from '@app/platform/resealing';
import { webhookSecretCell } from './issued-webhook-secret.js';

export const SEALED_AGENT_TABLES: readonly SealedTable[] = [
  sealedBytes(
    { table: 'agents', key: { id: 'text' }, row: 't.id', columns: ['webhook_secret', 'previous_webhook_secret'] },
    ({ workspace, row }) => webhookSecretCell(workspace, row),
  ),
];

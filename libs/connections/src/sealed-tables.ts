import { sealedBytes, type SealedTable } from '@app/platform/resealing';
import { verifierCell } from './authorizations.service.js';
import { tokensCell } from './connection-tokens.service.js';
import { sharedTokensCell } from './shared-tokens.service.js';

export const SEALED_CONNECTION_TABLES: readonly SealedTable[] = [
  sealedBytes(
    { table: 'knowledge_source_tokens', key: { source_id: 'text' }, row: 't.source_id', columns: ['tokens'] },
    ({ workspace, row }) => tokensCell({ workspaceId: workspace, sourceId: row }),
  ),
  sealedBytes(
    { table: 'knowledge_authorizations', key: { state_hash: 'text' }, row: 't.state_hash', columns: ['verifier'] },
    ({ workspace, row }) => verifierCell(workspace, row),
  ),
  sealedBytes(
    { table: 'oauth_tokens', key: { workspace_id: 'text', key: 'text' }, row: 't.key', columns: ['tokens'] },
    ({ workspace, row }) => sharedTokensCell({ workspaceId: workspace, key: row }),
  ),
];

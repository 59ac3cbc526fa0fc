import { sealedBytes, type SealedTable } from '@app/platform/resealing';
import { mcpRequestCell } from './mcp-request.store.js';
import { mcpTokenCell } from './mcp-token.store.js';

export const SEALED_MCP_TABLES: readonly SealedTable[] = [
  sealedBytes({ table: 'mcp_requests', key: { id: 'text' }, row: 't.id', columns: ['sealed'] }, ({ row }) =>
    mcpRequestCell(row),
  ),
  sealedBytes({ table: 'mcp_tokens', key: { id: 'text' }, row: 't.id', columns: ['sealed'] }, ({ workspace, row }) =>
    mcpTokenCell(workspace, row),
  ),
];

import { newWebhookSecret, type SealedBox, type SealedCell, sha256 } from '@app/platform/crypto';

/** A new webhook secret. Its text is not stored; the other fields are. */
export interface IssuedWebhookSecret {
  text: string;
  hash: Buffer;
  sealed: Buffer;
}

/** The table cell that the current and the previous secret of an agent are sealed for. */
export function webhookSecretCell(workspace: string, agentId: string): SealedCell {
  return { workspace, table: 'agents', column: 'webhook_secret', row: agentId };
}

export function issueWebhookSecret(box: SealedBox, workspaceId: string, agentId: string): IssuedWebhookSecret {
  const text = newWebhookSecret();
  return { text, hash: sha256(text), sealed: box.seal(text, webhookSecretCell(workspaceId, agentId)) };
}

import { newWebhookSecret, type SealedBox, type SealedCell, sha256 } from '@app/platform/crypto';

/** A new webhook secret. All fields except `text` are stored. */
export interface IssuedWebhookSecret {
  text: string;
  hash: Buffer;
  sealed: Buffer;
}

/**
 * Returns the database field to which the sealed webhook secrets of the agent are bound. The current and the previous
 * secret are bound to the same field.
 */
export function webhookSecretCell(workspace: string, agentId: string): SealedCell {
  return { workspace, table: 'agents', column: 'webhook_secret', row: agentId };
}

export function issueWebhookSecret(box: SealedBox, workspaceId: string, agentId: string): IssuedWebhookSecret {
  const text = newWebhookSecret();
  return { text, hash: sha256(text), sealed: box.seal(text, webhookSecretCell(workspaceId, agentId)) };
}

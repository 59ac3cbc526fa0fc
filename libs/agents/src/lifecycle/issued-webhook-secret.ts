import { newWebhookSecret, type SealedBox, type SealedCell, sha256 } from '@app/platform/crypto';

/** A new webhook secret. All fields except its text are stored. */
export interface IssuedWebhookSecret {
  text: string;
  hash: Buffer;
  sealed: Buffer;
}

/**
 * Returns the database field for which the webhook secrets of the agent are sealed. It is the same field for the
 * current and the previous secret.
 */
export function webhookSecretCell(workspace: string, agentId: string): SealedCell {
  return { workspace, table: 'agents', column: 'webhook_secret', row: agentId };
}

export function issueWebhookSecret(box: SealedBox, workspaceId: string, agentId: string): IssuedWebhookSecret {
  const text = newWebhookSecret();
  return { text, hash: sha256(text), sealed: box.seal(text, webhookSecretCell(workspaceId, agentId)) };
}

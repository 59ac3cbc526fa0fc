import { newWebhookSecret, type SealedBox, type SealedCell, sha256 } from '@app/platform/crypto';

/** A new webhook secret: its text exists only here, the rest is what is stored of it. */
export interface IssuedWebhookSecret {
  text: string;
  hash: Buffer;
  sealed: Buffer;
}

/** The cell that an agent's secret is sealed for, the current one and the one before it. */
export function webhookSecretCell(workspace: string, agentId: string): SealedCell {
  return { workspace, table: 'agents', column: 'webhook_secret', row: agentId };
}

export function issueWebhookSecret(box: SealedBox, workspaceId: string, agentId: string): IssuedWebhookSecret {
  const text = newWebhookSecret();
  return { text, hash: sha256(text), sealed: box.seal(text, webhookSecretCell(workspaceId, agentId)) };
}

import { Clock, DomainError, isId, newId, ReadCache } from '@app/kernel';
import {
  constantTimeEqual,
  isSignedBy,
  newWebhookSecret,
  SealedBox,
  type SealedCell,
  sha256,
  type SenderSignature,
} from '@app/platform/crypto';
import type { Transaction } from '@app/platform/database';
import { sealedBytes, type SealedTable } from '@app/platform/resealing';
import {
  type AuditEntry,
  AuditLogService,
  formerSecretCell,
  FormerSecretStore,
  type IdempotencyClaim,
  IdempotencyStore,
  type OnceOnly,
  type Principal,
  sealAsFormer,
} from '@app/workspace';
import { Injectable } from '@nestjs/common';
import type { AgentEntity } from '../records/agent.entity.js';
import { AgentRepository, type KnownWebhookSecret } from '../records/agent.repository.js';

export type WebhookProof =
  { kind: 'secret'; secret: string } | { kind: 'signature'; signature: SenderSignature; body: string | Uint8Array };

interface SecretsOfAgent {
  workspaceId: string;
  secrets: readonly KnownWebhookSecret[];
}

const MAX_CACHED_AGENTS = 10_000;
/**
 * An outdated entry is harmless. If a secret is not in the cache, it is looked up in the database. If a cached secret
 * was removed, the transaction that accepts the call rejects it.
 */
const MAX_AGE_MILLIS = 30_000;
/** Checked for an unknown agent, so that the rejection takes as much work as for an existing agent. */
const NO_AGENT: SecretsOfAgent = {
  workspaceId: '',
  secrets: [{ hash: sha256(newWebhookSecret()), sealed: null, isKeptApart: false }],
};

@Injectable()
export class WebhookSecretsService {
  private readonly cached: ReadCache<SecretsOfAgent>;

  constructor(
    private readonly agents: AgentRepository,
    private readonly box: SealedBox,
    private readonly requests: IdempotencyStore,
    private readonly audit: AuditLogService,
    private readonly former: FormerSecretStore,
    private readonly clock: Clock,
  ) {
    this.cached = new ReadCache({ limit: MAX_CACHED_AGENTS, maxAgeMillis: MAX_AGE_MILLIS, clock });
  }

  /**
   * The transaction that accepts the call uses `secretHash` to verify that the secret is still valid. Unknown agents,
   * malformed ids and wrong secrets are rejected in the same way and with the same amount of work.
   * @throws DomainError `invalid_webhook_secret`
   */
  async authenticate(agentId: string, proof: WebhookProof): Promise<{ workspaceId: string; secretHash: Buffer }> {
    const cached = this.cached.peek(agentId);
    const known = cached && this.proven(agentId, cached, proof);
    if (cached && known) return { workspaceId: cached.workspaceId, secretHash: known.hash };
    this.cached.invalidate(agentId);
    // A malformed id is replaced by a new id, which no agent has, so that its rejection takes the same work.
    const asked = isId('agent', agentId) ? agentId : newId('agent');
    const current = (await this.cached.get(asked, () => this.agents.findWebhookSecrets(asked))) ?? NO_AGENT;
    const fresh = this.proven(agentId, current, proof);
    if (current !== NO_AGENT && fresh) return { workspaceId: current.workspaceId, secretHash: fresh.hash };
    throw invalidWebhookSecret();
  }

  /** Returns the workspace of the agent without checking a secret. */
  async workspaceOf(agentId: string): Promise<string | undefined> {
    if (!isId('agent', agentId)) return undefined;
    return (await this.cached.get(agentId, () => this.agents.findWebhookSecrets(agentId)))?.workspaceId;
  }

  /**
   * If `graceSeconds` is positive, the previous secret stays valid for this time, and each older secret keeps its own
   * expiry time.
   * @throws DomainError `not_found`, `agent_archived`, and the errors of {@link IdempotencyStore.runOnce}
   */
  async rotate(
    actor: Pick<Principal, 'workspaceId' | 'email'>,
    agentId: string,
    graceSeconds: number,
    claim?: IdempotencyClaim,
  ): Promise<OnceOnly<{ text: string; previousUntil: Date }>> {
    const issued = issueWebhookSecret(this.box, actor.workspaceId, agentId);
    return this.requests.runOnce(actor.workspaceId, claim, async (transaction) => {
      const agent = await this.agents.lockActive(actor.workspaceId, agentId, transaction);
      await this.keepPrevious(agent, graceSeconds, transaction);
      const previousUntil = await this.agents.replaceWebhookSecret(agent, issued, graceSeconds, transaction);
      const entry: AuditEntry = {
        action: 'agent.webhook_secret.rotate',
        target: agentId,
        detail: { grace_seconds: graceSeconds },
      };
      await this.audit.record(actor, entry, transaction);
      transaction.afterCommit(() => this.cached.invalidate(agentId));
      return { text: issued.text, previousUntil };
    });
  }

  private async keepPrevious(agent: AgentEntity, graceSeconds: number, transaction: Transaction): Promise<void> {
    const { workspaceId, id: ownerId } = agent;
    const owner = { workspaceId, ownerId };
    const previous = await this.agents.previousWebhookSecret(agent, transaction);
    const cell = webhookSecretCell(workspaceId, ownerId);
    const sealed = previous?.sealed ? sealAsFormer(this.box, previous.sealed, cell, owner) : null;
    await this.former.rotate(owner, previous && { ...previous, sealed }, graceSeconds, transaction);
  }

  private proven(
    agentId: string,
    { workspaceId, secrets }: SecretsOfAgent,
    proof: WebhookProof,
  ): KnownWebhookSecret | undefined {
    const own = webhookSecretCell(workspaceId, agentId);
    const apart = formerSecretCell({ workspaceId, ownerId: agentId });
    // Every secret is checked, so that the response time does not reveal which secret matched.
    return secrets.filter((secret) => this.isProof(proof, secret, secret.isKeptApart ? apart : own)).at(0);
  }

  private isProof(proof: WebhookProof, { hash, sealed }: KnownWebhookSecret, cell: SealedCell): boolean {
    if (proof.kind === 'secret') return constantTimeEqual(sha256(proof.secret), hash);
    const secret = sealed ? this.box.openText(sealed, cell) : newWebhookSecret();
    return isSignedBy(secret, proof.body, proof.signature, this.clock.now()) && sealed !== null;
  }
}

/** Every failed proof has the same response, so that the response reveals nothing about the agent. */
export function invalidWebhookSecret(): DomainError {
  const detail =
    'The webhook secret is not valid. Send the current secret as X-Service-Webhook-Secret, or sign the body with it (X-Hub-Signature-256 or Standard Webhooks). ' +
    'If the trigger declares `auth`, the sender may authenticate by that scheme instead.';
  return new DomainError('invalid_webhook_secret', detail);
}

/** All fields except `text` are stored. */
interface IssuedWebhookSecret {
  text: string;
  hash: Buffer;
  sealed: Buffer;
}

function webhookSecretCell(workspace: string, agentId: string): SealedCell {
  return { workspace, table: 'agents', column: 'webhook_secret', row: agentId };
}

export function issueWebhookSecret(box: SealedBox, workspaceId: string, agentId: string): IssuedWebhookSecret {
  const text = newWebhookSecret();
  return { text, hash: sha256(text), sealed: box.seal(text, webhookSecretCell(workspaceId, agentId)) };
}

export const SEALED_AGENT_TABLES: readonly SealedTable[] = [
  sealedBytes(
    { table: 'agents', key: { id: 'text' }, row: 't.id', columns: ['webhook_secret', 'previous_webhook_secret'] },
    ({ workspace, row }) => webhookSecretCell(workspace, row),
  ),
];

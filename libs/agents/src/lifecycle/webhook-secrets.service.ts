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
import {
  type AuditEntry,
  AuditLog,
  formerSecretCell,
  FormerSecrets,
  type IdempotencyClaim,
  IdempotentRequests,
  type OnceOnly,
  sealedAsFormer,
} from '@app/workspace';
import { Injectable } from '@nestjs/common';
import type { AgentEntity } from '../records/agent.entity.js';
import { AgentRepository, type KnownWebhookSecret } from '../records/agent.repository.js';
import type { Actor } from './agents.service.js';
import { issueWebhookSecret, webhookSecretCell } from './issued-webhook-secret.js';

/** How a sender shows that it knows the secret: by the secret itself, or by a body signed with it. */
export type WebhookProof =
  { kind: 'secret'; secret: string } | { kind: 'signature'; signature: SenderSignature; body: string };

interface SecretsOfAgent {
  workspaceId: string;
  /** One, and more for a while after rotations. */
  secrets: readonly KnownWebhookSecret[];
}

const REMEMBERED_AGENTS = 10_000;
/**
 * A right secret that is not known yet is looked up at once, and one that has gone is found out by the commit, so age
 * costs nothing.
 */
const MAX_AGE_MILLIS = 30_000;
/** Stands for the secrets of an agent that does not exist, so that refusing it is as much work. */
const NOBODY: SecretsOfAgent = {
  workspaceId: '',
  secrets: [{ hash: sha256(newWebhookSecret()), sealed: null, isKeptApart: false }],
};

/**
 * The secrets that senders of webhooks know: one for each agent, given out once, and replaced without an interruption.
 */
@Injectable()
export class WebhookSecrets {
  private readonly remembered: ReadCache<SecretsOfAgent>;

  constructor(
    private readonly agents: AgentRepository,
    private readonly box: SealedBox,
    private readonly requests: IdempotentRequests,
    private readonly audit: AuditLog,
    private readonly former: FormerSecrets,
    private readonly clock: Clock,
  ) {
    this.remembered = new ReadCache({ limit: REMEMBERED_AGENTS, maxAgeMillis: MAX_AGE_MILLIS, clock });
  }

  /**
   * Whose webhook it is, for a sender who knows its secret; `secretHash` is for the commit to confirm that it is still
   * the secret. Unknown agents, malformed ids and wrong secrets are refused alike, each with one read and one
   * comparison.
   * @throws DomainError `invalid_webhook_secret`
   */
  async authenticate(agentId: string, proof: WebhookProof): Promise<{ workspaceId: string; secretHash: Buffer }> {
    const remembered = this.remembered.peek(agentId);
    const known = remembered && this.proven(agentId, remembered, proof);
    if (remembered && known) return { workspaceId: remembered.workspaceId, secretHash: known.hash };
    this.remembered.invalidate(agentId);
    // A malformed id asks for an agent that cannot be there.
    const asked = isId('agent', agentId) ? agentId : newId('agent');
    const current = (await this.remembered.get(asked, () => this.agents.findWebhookSecrets(asked))) ?? NOBODY;
    const fresh = this.proven(agentId, current, proof);
    if (current !== NOBODY && fresh) return { workspaceId: current.workspaceId, secretHash: fresh.hash };
    throw invalidWebhookSecret();
  }

  /**
   * Gives the agent a new secret, whose text exists only in this answer. The one before it is valid for `graceSeconds`,
   * those before that until the time that they were promised, unless `graceSeconds` is 0, which ends them all. With a
   * claim, the same request gets the same secret.
   * @throws DomainError `not_found`, `agent_archived`, and what {@link IdempotentRequests.once} throws
   */
  async rotate(
    actor: Actor,
    agentId: string,
    graceSeconds: number,
    claim?: IdempotencyClaim,
  ): Promise<OnceOnly<{ text: string; previousUntil: Date }>> {
    const issued = issueWebhookSecret(this.box, actor.workspaceId, agentId);
    return this.requests.once(actor.workspaceId, claim, async (transaction) => {
      const agent = await this.agents.lockActive(actor.workspaceId, agentId, transaction);
      await this.keepPrevious(agent, graceSeconds, transaction);
      const previousUntil = await this.agents.replaceWebhookSecret(agent, issued, graceSeconds, transaction);
      const entry: AuditEntry = {
        action: 'agent.webhook_secret.rotate',
        target: agentId,
        detail: { grace_seconds: graceSeconds },
      };
      await this.audit.record(actor, entry, transaction);
      transaction.afterCommit(() => this.remembered.invalidate(agentId));
      return { text: issued.text, previousUntil };
    });
  }

  private async keepPrevious(agent: AgentEntity, graceSeconds: number, transaction: Transaction): Promise<void> {
    const { workspaceId, id: ownerId } = agent;
    const owner = { workspaceId, ownerId };
    const previous = await this.agents.previousWebhookSecret(agent, transaction);
    const cell = webhookSecretCell(workspaceId, ownerId);
    const sealed = previous?.sealed ? sealedAsFormer(this.box, previous.sealed, cell, owner) : null;
    await this.former.rotate(owner, previous && { ...previous, sealed }, graceSeconds, transaction);
  }

  private proven(
    agentId: string,
    { workspaceId, secrets }: SecretsOfAgent,
    proof: WebhookProof,
  ): KnownWebhookSecret | undefined {
    const own = webhookSecretCell(workspaceId, agentId);
    const apart = formerSecretCell({ workspaceId, ownerId: agentId });
    // Every secret is tried, so that how long it takes does not tell which one it was.
    return secrets.filter((secret) => this.isProof(proof, secret, secret.isKeptApart ? apart : own)).at(0);
  }

  private isProof(proof: WebhookProof, { hash, sealed }: KnownWebhookSecret, cell: SealedCell): boolean {
    if (proof.kind === 'secret') return constantTimeEqual(sha256(proof.secret), hash);
    const secret = sealed ? this.box.openText(sealed, cell) : newWebhookSecret();
    return isSignedBy(secret, proof.body, proof.signature, this.clock.now()) && sealed !== null;
  }
}

/** One answer for whoever does not know the secret, whatever else is wrong. */
function invalidWebhookSecret(): DomainError {
  const detail =
    'The webhook secret is not valid. Send it as X-Service-Webhook-Secret, or sign the body with it (X-Hub-Signature-256 or Standard Webhooks).';
  return new DomainError('invalid_webhook_secret', detail);
}

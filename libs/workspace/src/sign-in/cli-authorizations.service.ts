import { Clock, DomainError } from '@app/kernel';
import { sha256 } from '@app/platform/crypto';
import { type Transaction, Transactions } from '@app/platform/database';
import { Injectable } from '@nestjs/common';
import { mintApiKey } from '../api-key-minting.js';
import { ApiKeyRepository } from '../api-key.repository.js';
import type { KeyOfMember } from '../api-keys.service.js';
import { AuditLogService } from '../audit-log.service.js';
import type { Principal } from '../principal.js';
import { grantedScopes, scopesOf } from '../roles.js';
import { RefusedSignInsService } from './refused-sign-ins.service.js';
import { SessionRepository } from './session.repository.js';
import type { CliGrants } from './sign-in-token.entity.js';
import { SignInTokenRepository } from './sign-in-token.repository.js';
import { newToken } from './token.js';

const CODE_MILLIS = 60_000;
const KEY_MILLIS = 90 * 24 * 3_600_000;

/** `text` is not stored and cannot be retrieved later. */
export interface AuthorizedKey {
  text: string;
  key: KeyOfMember;
}

/** A key has the rights of the session in which a person authorised the CLI. */
@Injectable()
export class CliAuthorizationsService {
  constructor(
    private readonly transactions: Transactions,
    private readonly tokens: SignInTokenRepository,
    private readonly sessions: SessionRepository,
    private readonly keys: ApiKeyRepository,
    private readonly audit: AuditLogService,
    private readonly refusals: RefusedSignInsService,
    private readonly clock: Clock,
  ) {}

  /**
   * A CLI can redeem the code only if it knows the verifier of the challenge (S256).
   * @throws DomainError `sign_in_again` for a caller without a session
   */
  async authorize(actor: Principal, challenge: string, name: string): Promise<string> {
    const { workspaceId, memberId, session } = actor;
    if (!session) {
      throw new DomainError('sign_in_again', 'Only a person who is signed in to the console can authorise a CLI.');
    }
    const { token, hash } = newToken();
    const now = this.clock.now().getTime();
    const grants = grantsOf(actor, name, session.id);
    const expiresAt = new Date(now + CODE_MILLIS);
    await this.transactions.run((transaction) =>
      this.tokens.insert({ hash, kind: 'cli', workspaceId, memberId, expiresAt, challenge, grants }, transaction),
    );
    return token;
  }

  /**
   * If the session was started with an API key, the new key ends with that key: it expires no later, and a revocation
   * or rotation of that key ends it.
   * @throws DomainError `invalid_sign_in` (unknown, used or expired code, wrong verifier, or the session has ended)
   */
  redeem(code: string, verifier: string): Promise<AuthorizedKey> {
    const hash = sha256(code);
    const challenge = sha256(verifier).toString('base64url');
    return this.refusals.prove<AuthorizedKey>('cli', async () => {
      const proof = await this.transactions.run((transaction) => this.mint(hash, challenge, transaction));
      return proof ? { proof } : { refused: (await this.tokens.findOwner(hash)) ?? null };
    });
  }

  private async mint(hash: Buffer, challenge: string, transaction: Transaction): Promise<AuthorizedKey | undefined> {
    const owner = await this.tokens.useAuthorization(hash, challenge, transaction);
    const origin = owner?.grants && (await this.sessions.findOrigin(owner.grants.session, transaction));
    if (!owner?.grants || !origin) return undefined;
    const { workspaceId, memberId, email } = owner;
    const { session, agents = null, isAutomation = false, ...granted } = owner.grants;
    const latest = new Date(this.clock.now().getTime() + KEY_MILLIS);
    const { keyId, keyEndsAt } = origin;
    const grant = { ...granted, agents, isAutomation, expiresAt: keyEndsAt && keyEndsAt < latest ? keyEndsAt : latest };
    const { key: text, record } = mintApiKey({ id: memberId, workspaceId }, grant, keyId);
    const apiKey = await this.keys.insert(record, transaction);
    const { name, kind, role } = grant;
    const detail = { name, kind, role, member: email, ...(keyId !== null && { key: keyId }) };
    await this.audit.record(owner, { action: 'api_key.create', target: apiKey.id, detail }, transaction);
    const effectiveScopes = grantedScopes(role, grant.scopes);
    return { text, key: { apiKey, member: email, effectiveScopes } };
  }
}

function grantsOf({ role, scopes, kind, limits }: Principal, name: string, session: string): CliGrants {
  const isWhole = scopes.size === scopesOf(role).size;
  const { agents = null, isAutomation = false } = limits ?? {};
  return { name: `CLI on ${name}`, role, kind, scopes: isWhole ? null : [...scopes], agents, isAutomation, session };
}

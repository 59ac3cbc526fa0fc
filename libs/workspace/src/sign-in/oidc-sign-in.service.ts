import { Clock, DomainError } from '@app/kernel';
import { sha256, SigningKey } from '@app/platform/crypto';
import { Transactions } from '@app/platform/database';
import { Injectable } from '@nestjs/common';
import { OidcMembersService } from './oidc-members.service.js';
import { MemberIdentityRepository } from './member-identity.repository.js';
import type { OidcChecks, OidcProviderClient } from './oidc-provider.client.js';
import { RefusedSignInsService } from './refused-sign-ins.service.js';
import { type Browser, SessionsService } from './sessions.service.js';

const PURPOSE = 'oidc-sign-in';
const ATTEMPT_MILLIS = 10 * 60_000;

/** The service signs it, and the browser stores it. */
interface Attempt extends OidcChecks {
  returnTo: string;
  expires: number;
}

export class OidcProvider {
  constructor(readonly client: OidcProviderClient | undefined) {}
}

@Injectable()
export class OidcSignInService {
  constructor(
    private readonly provider: OidcProvider,
    private readonly transactions: Transactions,
    private readonly identities: MemberIdentityRepository,
    private readonly members: OidcMembersService,
    private readonly sessions: SessionsService,
    private readonly refusals: RefusedSignInsService,
    private readonly signing: SigningKey,
    private readonly clock: Clock,
  ) {}

  /**
   * The browser stores the attempt until the provider redirects the browser back.
   * @throws DomainError `sign_in_off` if no provider is configured, `unavailable`
   */
  async begin(returnTo: string): Promise<{ url: string; attempt: string }> {
    const { url, checks } = await this.client().begin();
    const attempt: Attempt = { ...checks, returnTo, expires: this.clock.now().getTime() + ATTEMPT_MILLIS };
    const text = Buffer.from(JSON.stringify(attempt)).toString('base64url');
    return { url, attempt: `${text}.${this.signing.hmac(PURPOSE, text).toString('base64url')}` };
  }

  /**
   * `kept` is the attempt that the browser stored.
   * @throws DomainError `invalid_sign_in`, `not_invited`, `sign_in_off`, `unavailable`
   */
  async finish(
    query: string,
    kept: string | undefined,
    browser: Browser,
  ): Promise<{ token: string; returnTo: string }> {
    const client = this.client();
    const { returnTo, expires, ...checks } = this.attemptOf(kept);
    if (new URLSearchParams(query).get('state') !== checks.state) throw refusal();
    await this.spend(checks.state, new Date(expires));
    const person = await client.finish(query, checks);
    const token = await this.transactions.run(async (transaction) => {
      const member = await this.members.admit(person, transaction);
      if (!member) return undefined;
      const { issuer, subject } = person;
      const proven = { ...member, method: 'oidc' as const, identity: { issuer, subject } };
      return this.sessions.begin(proven, browser, transaction);
    });
    if (token !== undefined) return { token, returnTo };
    const concerned = await this.members.findByClaim(person);
    if (concerned) await this.refusals.record(concerned, 'oidc', 'not_invited');
    throw new DomainError(
      'not_invited',
      'No member has this identity. Ask an admin of the workspace to add your address.',
    );
  }

  private client(): OidcProviderClient {
    if (this.provider.client) return this.provider.client;
    throw new DomainError(
      'sign_in_off',
      'Single sign-on is disabled, because OIDC_ISSUER is not set. Use another method of sign-in.',
    );
  }

  private async spend(state: string, expiresAt: Date): Promise<void> {
    const isFirst = await this.transactions.run((transaction) =>
      this.identities.spend(sha256(state), expiresAt, transaction),
    );
    if (!isFirst) throw refusal();
  }

  private attemptOf(kept: string | undefined): Attempt {
    const [text = '', mac = ''] = (kept ?? '').split('.');
    if (!this.signing.verify(PURPOSE, text, Buffer.from(mac, 'base64url'))) throw refusal();
    const attempt = JSON.parse(Buffer.from(text, 'base64url').toString()) as Attempt;
    if (attempt.expires <= this.clock.now().getTime()) throw refusal();
    return attempt;
  }
}

function refusal(): DomainError {
  return new DomainError(
    'invalid_sign_in',
    'This sign-in was started in another browser, was used before, or has expired. Sign in again.',
  );
}

import { DomainError } from '@app/kernel';
import type { ApiKeyKind } from '@app/platform/crypto';
import type { Role, Scope } from './roles.js';

export const SIGN_IN_METHODS = ['link', 'invitation', 'email', 'oidc', 'key'] as const;
export type SignInMethod = (typeof SIGN_IN_METHODS)[number];

/** The session of a person in one browser. */
export interface PersonSession {
  readonly id: string;
  readonly method: SignInMethod;
  readonly createdAt: Date;
  /** Time of the last use of the session, precise to the minute. */
  readonly lastSeenAt: Date;
  readonly expiresAt: Date;
  readonly userAgent: string;
  /** Time at which the person last proved their identity. Switching to another workspace does not change it. */
  readonly signedInAt: Date;
}

/** The authenticated caller of a request: a member of one workspace, through one API key or one session. */
export interface Principal {
  readonly workspaceId: string;
  readonly workspaceName: string;
  readonly memberId: string;
  readonly email: string;
  /** The weaker of the role of the key and the role of the member. */
  readonly role: Role;
  /** The scopes of `role` that the key also has. */
  readonly scopes: ReadonlySet<Scope>;
  /**
   * If `test`, runs that the caller starts have the mode `test`. `live` for a session that was not started with an API
   * key.
   */
  readonly kind: ApiKeyKind;
  /** Null if the caller uses a session. */
  readonly key: { readonly id: string; readonly kind: ApiKeyKind; readonly name: string } | null;
  readonly session: PersonSession | null;
}

/**
 * Asserts that the caller may cause effects in production.
 * @param detail what a caller with a test key cannot do
 * @throws DomainError `test_key_production_mode` for a test key, and for a session that began with a test key
 */
export function assertLive({ kind }: Principal, detail: string): void {
  if (kind === 'live') return;
  throw new DomainError('test_key_production_mode', `${detail} Use a live key.`);
}

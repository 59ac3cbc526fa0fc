import { DomainError } from '@app/kernel';
import type { ApiKeyKind } from '@app/platform/crypto';
import type { Role, Scope } from './roles.js';

export const SIGN_IN_METHODS = ['link', 'invitation', 'email', 'oidc', 'key'] as const;
export type SignInMethod = (typeof SIGN_IN_METHODS)[number];

export interface PersonSession {
  readonly id: string;
  readonly method: SignInMethod;
  readonly createdAt: Date;
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
  readonly role: Role;
  readonly scopes: ReadonlySet<Scope>;
  /** If `test`, runs that the caller starts have the mode `test`. */
  readonly kind: ApiKeyKind;
  readonly key: { readonly id: string; readonly kind: ApiKeyKind; readonly name: string } | null;
  readonly session: PersonSession | null;
  /** A session that was started with an API key has the limits of that key. */
  readonly limits: KeyLimits | null;
}

export interface KeyLimits {
  readonly keyId: string;
  readonly agents: readonly string[] | null;
  /** Ids of the temporary agents of the draft runs that a narrowed key started. */
  readonly drafts?: readonly string[];
  /** The key decides no approval and answers no question. */
  readonly isAutomation: boolean;
}

export function agentsOf({ limits }: Pick<Principal, 'limits'>): readonly string[] | null {
  return limits?.agents ? [...limits.agents, ...(limits.drafts ?? [])] : null;
}

/** Whether the agent exists for the caller. The agent must be in the workspace of the caller. */
export function seesAgent(principal: Pick<Principal, 'limits'>, agentId: string): boolean {
  return agentsOf(principal)?.includes(agentId) ?? true;
}

export function seenAgents(principal: Pick<Principal, 'limits'>, ids: readonly string[]): string[] {
  return ids.filter((id) => seesAgent(principal, id));
}

/** Returns the list that replaces `before` if the caller wants `wanted`. Agents that the caller does not see remain. */
export function replacedAgents(
  principal: Pick<Principal, 'limits'>,
  before: readonly string[],
  wanted: readonly string[],
): string[] {
  return [...new Set([...wanted, ...before.filter((id) => !seesAgent(principal, id))])];
}

/** @throws DomainError `insufficient_scope` if the key of the caller is narrowed to agents */
export function assertAllAgents({ limits }: Pick<Principal, 'limits'>): void {
  if (!limits?.agents) return;
  const detail =
    'The API key is narrowed to agents, so it cannot create agents. Use a key that was created without `agents`.';
  throw new DomainError('insufficient_scope', detail);
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

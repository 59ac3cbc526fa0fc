import { SetMetadata } from '@nestjs/common';
import { DomainError } from '@app/kernel';
import { type Principal, type RefusableAction, type Role, ROLES, type Scope, scopesOf } from '@app/workspace';

/** Who may call a route. The API does not start if a route lacks this metadata, see `route-table.service.ts`. */
export type Access =
  | { kind: 'public' }
  /**
   * Requires the webhook secret of the agent or another proof. The handler checks the proof, because a signature covers
   * the body, which the guard does not read. `isSecretAccepted` is false if the route accepts only another proof.
   */
  | { kind: 'webhook'; proof: string; isSecretAccepted: boolean }
  | {
      kind: 'key';
      scopes: readonly Scope[];
      /** The caller needs at least one of these scopes. The handler then checks the scope that this request needs. */
      anyOf?: readonly Scope[];
      /**
       * The route must work while the connection pool is exhausted, so the key or session is read over reserved
       * database connections. Implies `unlimited`.
       */
      urgent?: true;
      /** The route has no rate limit. */
      unlimited?: true;
      /** The route ignores cookies. */
      bearerOnly?: true;
      /** Path of the route, if it also accepts the access tokens that MCP clients have for it. */
      resource?: string;
      /** If set, rejected calls are recorded in the audit log with this action. */
      audited?: RefusableAction;
    };

const ACCESS = Symbol('access');

/** Requires a key or session with all of these scopes. */
export const RequireScopes = (first: Scope, ...more: Scope[]): MethodDecorator =>
  SetMetadata<symbol, Access>(ACCESS, { kind: 'key', scopes: [first, ...more] });

/**
 * Requires a key or session with one of these scopes. The handler calls {@link requireScope} with the scope that the
 * request needs.
 */
export const RequireAnyScope = (...anyOf: [Scope, Scope, ...Scope[]]): MethodDecorator =>
  SetMetadata<symbol, Access>(ACCESS, { kind: 'key', scopes: [], anyOf });

/** Like {@link RequireScopes}, but without a rate limit. For operations that limit damage, such as a cancellation. */
export const RequireUnlimited = (scope: Scope): MethodDecorator =>
  SetMetadata<symbol, Access>(ACCESS, { kind: 'key', scopes: [scope], unlimited: true });

/**
 * Like {@link RequireScopes}, but the route has no rate limit, and the key or session is read over reserved database
 * connections. Rejected calls are recorded in the audit log.
 */
export const RequireUrgently = (scope: Scope, audited: RefusableAction): MethodDecorator =>
  SetMetadata<symbol, Access>(ACCESS, { kind: 'key', scopes: [scope], urgent: true, audited });

export const AnyKey = (): MethodDecorator => SetMetadata<symbol, Access>(ACCESS, { kind: 'key', scopes: [] });

/**
 * Requires an API key with all of these scopes, or an access token of an MCP client for the path `resource`. Cookies are
 * ignored.
 */
export const RequireKeyOrToken = (resource: string, ...scopes: Scope[]): MethodDecorator =>
  SetMetadata<symbol, Access>(ACCESS, { kind: 'key', scopes, bearerOnly: true, resource });

export const Public = (): MethodDecorator => SetMetadata<symbol, Access>(ACCESS, { kind: 'public' });

/** Requires the webhook secret of the agent instead of a key or session. `proof` describes the accepted proofs. */
export const RequireWebhookSecret = (proof: string): MethodDecorator =>
  SetMetadata<symbol, Access>(ACCESS, { kind: 'webhook', proof, isSecretAccepted: true });

/** Requires `hub.verify_token` in the query, which Meta sends instead of the webhook secret. */
export const RequireVerifyToken = (): MethodDecorator =>
  SetMetadata<symbol, Access>(ACCESS, { kind: 'webhook', proof: '`hub.verify_token`', isSecretAccepted: false });

const RECENT = Symbol('recent sign-in');

/** A caller with a session must have signed in within the last ten minutes. */
export const RequireRecentSignIn = (): MethodDecorator => SetMetadata(RECENT, true);

const LIVE = Symbol('live key');

/**
 * Rejects a caller with a test key, or with a session of a test key. For routes that change what production runs use,
 * that show a secret, or that begin or resume work in production. Routes that only stop work do not need it.
 */
export const RequireLive = (): MethodDecorator => SetMetadata(LIVE, true);

const ALL_AGENTS = Symbol('all agents');

/** Rejects a caller whose key is narrowed to agents. For routes that create agents. */
export const RequireAllAgents = (): MethodDecorator => SetMetadata(ALL_AGENTS, true);

export function needsAllAgents(handler: object): boolean {
  return Reflect.hasMetadata(ALL_AGENTS, handler);
}

export function needsLive(handler: object): boolean {
  return Reflect.hasMetadata(LIVE, handler);
}

export function needsRecentSignIn(handler: object): boolean {
  return Reflect.hasMetadata(RECENT, handler);
}

export function accessOf(handler: object): Access | undefined {
  return Reflect.getMetadata(ACCESS, handler) as Access | undefined;
}

export function weakestRoleWith(scope: Scope): Role {
  return ROLES.find((role) => scopesOf(role).has(scope)) ?? 'admin';
}

/** @throws DomainError the error of {@link requireScope} for the first scope, if the caller has none of the scopes */
export function requireAnyScope(principal: Principal, scopes: readonly Scope[]): void {
  const [first] = scopes;
  if (first !== undefined && !scopes.some((scope) => principal.scopes.has(scope))) requireScope(principal, first);
}

/**
 * @throws DomainError `admin_required` if only admins have the scope and the caller is no admin; otherwise
 *   `insufficient_scope`
 */
export function requireScope(principal: Principal, scope: Scope): void {
  if (principal.scopes.has(scope)) return;
  const role = weakestRoleWith(scope);
  const extensions = { required_scope: scope, required_role: role };
  if (role === 'admin' && principal.role !== 'admin') {
    throw new DomainError(
      'admin_required',
      `This operation requires the scope ${scope}, which only admins have. Use an API key of an admin.`,
      { extensions },
    );
  }
  const { key } = principal;
  const who = `${key ? `The key ${JSON.stringify(key.name)}` : 'The session'} (role ${principal.role})`;
  const remedy = `Use a key with the role ${role} or higher whose scopes include ${scope}.`;
  throw new DomainError('insufficient_scope', `${who} lacks the scope ${scope}. ${remedy}`, { extensions });
}

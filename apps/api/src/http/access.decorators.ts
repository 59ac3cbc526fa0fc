import { SetMetadata } from '@nestjs/common';
import { DomainError } from '@app/kernel';
import { type Principal, type RefusableAction, type Role, ROLES, type Scope, scopesOf } from '@app/workspace';

/**
 * Callers that a route accepts. If a route lacks this metadata, the API does not start: see
 * `route-table.service.ts`.
 */
export type Access =
  | { kind: 'public' }
  /**
   * A caller with the webhook secret of the agent. The handler checks the secret, because a signature covers the body.
   */
  | { kind: 'webhook' }
  | {
      kind: 'key';
      scopes: readonly Scope[];
      /**
       * One of these scopes is enough to call the route. The handler then requires the scope that the request needs.
       */
      anyOf?: readonly Scope[];
      /**
       * The route must work while the connection pool is exhausted, so its key is read over the reserved connections.
       */
      urgent?: true;
      /** Not rate limited. Urgent routes are not rate limited either. */
      unlimited?: true;
      /**
       * Action under which a rejected call is recorded in the audit log. Without it, rejected calls are not recorded.
       */
      audited?: RefusableAction;
    };

const ACCESS = Symbol('access');

/** Requires a valid key with all of these scopes. */
export const RequireScopes = (first: Scope, ...more: Scope[]): MethodDecorator =>
  SetMetadata<symbol, Access>(ACCESS, { kind: 'key', scopes: [first, ...more] });

/**
 * Requires a valid key with one of these scopes. The handler calls {@link requireScope} with the scope that the request
 * needs.
 */
export const RequireAnyScope = (...anyOf: [Scope, Scope, ...Scope[]]): MethodDecorator =>
  SetMetadata<symbol, Access>(ACCESS, { kind: 'key', scopes: [], anyOf });

/** Like {@link RequireScopes}, but without a rate limit: for operations that limit damage, such as a cancellation. */
export const RequireUnlimited = (scope: Scope): MethodDecorator =>
  SetMetadata<symbol, Access>(ACCESS, { kind: 'key', scopes: [scope], unlimited: true });

/**
 * Like {@link RequireScopes}, but over the reserved connections, without a rate limit, and with rejected calls recorded
 * in the audit log.
 */
export const RequireUrgently = (scope: Scope, audited: RefusableAction): MethodDecorator =>
  SetMetadata<symbol, Access>(ACCESS, { kind: 'key', scopes: [scope], urgent: true, audited });

export const AnyKey = (): MethodDecorator => SetMetadata<symbol, Access>(ACCESS, { kind: 'key', scopes: [] });

export const Public = (): MethodDecorator => SetMetadata<symbol, Access>(ACCESS, { kind: 'public' });

/** Requires the webhook secret of the agent instead of a key. */
export const RequireWebhookSecret = (): MethodDecorator => SetMetadata<symbol, Access>(ACCESS, { kind: 'webhook' });

const RECENT = Symbol('recent sign-in');

/** Requires that a caller with a session has signed in within the last ten minutes. */
export const RequireRecentSignIn = (): MethodDecorator => SetMetadata(RECENT, true);

export function needsRecentSignIn(handler: object): boolean {
  return Reflect.hasMetadata(RECENT, handler);
}

export function accessOf(handler: object): Access | undefined {
  return Reflect.getMetadata(ACCESS, handler) as Access | undefined;
}

export function weakestRoleWith(scope: Scope): Role {
  return ROLES.find((role) => scopesOf(role).has(scope)) ?? 'admin';
}

/** @throws DomainError if the caller has none of the scopes: the error of {@link requireScope} for the first scope */
export function requireAnyScope(principal: Principal, scopes: readonly Scope[]): void {
  const [first] = scopes;
  if (first !== undefined && !scopes.some((scope) => principal.scopes.has(scope))) requireScope(principal, first);
}

/**
 * @throws DomainError `admin_required` if only admins have the scope and the caller is not an admin; otherwise
 * `insufficient_scope`
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

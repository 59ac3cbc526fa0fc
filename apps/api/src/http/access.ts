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

export type KeyAccess = Extract<Access, { kind: 'key' }>;

/** See `RequireUrgently`. */
export function urgentAccess(scope: Scope, audited: RefusableAction): KeyAccess {
  return { kind: 'key', scopes: [scope], urgent: true, audited };
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

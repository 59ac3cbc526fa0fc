import { SetMetadata } from '@nestjs/common';
import { DomainError } from '@app/kernel';
import { type Principal, type RefusableAction, type Role, ROLES, type Scope, scopesOf } from '@app/workspace';

/** Who may call a route. A route without this metadata does not start: see `route-table.ts`. */
export type Access =
  | { kind: 'public' }
  /** Whoever knows the agent's webhook secret: its handler finds out, since a signature is over the body. */
  | { kind: 'webhook' }
  | {
      kind: 'key';
      scopes: readonly Scope[];
      /** The route has to work when everything else is stuck: its key is looked up over the reserved connections. */
      urgent?: true;
      /** Never refused because of a rate limit. What is urgent is not either. */
      unlimited?: true;
      /** What a refusal is called in the audit log; without it refusals are not recorded there. */
      audited?: RefusableAction;
    };

const ACCESS = Symbol('access');

/** Any valid key whose scopes include all of these. */
export const RequireScopes = (first: Scope, ...more: Scope[]): MethodDecorator =>
  SetMetadata<symbol, Access>(ACCESS, { kind: 'key', scopes: [first, ...more] });

/** {@link RequireScopes} for what ends harm: it works however often its key has been used. */
export const RequireUnlimited = (scope: Scope): MethodDecorator =>
  SetMetadata<symbol, Access>(ACCESS, { kind: 'key', scopes: [scope], unlimited: true });

/** {@link RequireScopes} for the red button: never in line behind other requests, and a refusal leaves a line in the audit log. */
export const RequireUrgently = (scope: Scope, audited: RefusableAction): MethodDecorator =>
  SetMetadata<symbol, Access>(ACCESS, { kind: 'key', scopes: [scope], urgent: true, audited });

/** Any valid key, whatever it may do. */
export const AnyKey = (): MethodDecorator => SetMetadata<symbol, Access>(ACCESS, { kind: 'key', scopes: [] });

/** Anybody, without a key. */
export const Public = (): MethodDecorator => SetMetadata<symbol, Access>(ACCESS, { kind: 'public' });

/** Whoever knows the secret of the agent's webhook, without a key. */
export const RequireWebhookSecret = (): MethodDecorator => SetMetadata<symbol, Access>(ACCESS, { kind: 'webhook' });

/** The access that a handler declares. */
export function accessOf(handler: object): Access | undefined {
  return Reflect.getMetadata(ACCESS, handler) as Access | undefined;
}

/** The weakest role that has the scope. */
export function weakestRoleWith(scope: Scope): Role {
  return ROLES.find((role) => scopesOf(role).has(scope)) ?? 'admin';
}

/** @throws DomainError `admin_required` where only admins have the scope and this is none, else `insufficient_scope` */
export function requireScope(principal: Principal, scope: Scope): void {
  if (principal.scopes.has(scope)) return;
  const role = weakestRoleWith(scope);
  const extensions = { required_scope: scope, required_role: role };
  if (role === 'admin' && principal.role !== 'admin') {
    throw new DomainError('admin_required', `This needs the scope ${scope}, which only admins have.`, { extensions });
  }
  const who = `The key ${JSON.stringify(principal.key.name)} (role ${principal.role})`;
  const remedy = `Use a key of role ${role} or higher that is not narrowed to other scopes.`;
  throw new DomainError('insufficient_scope', `${who} lacks the scope ${scope}. ${remedy}`, { extensions });
}

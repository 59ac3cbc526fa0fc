import { DomainError } from '@app/kernel';
import { type Principal, type Role, ROLES, type Scope, scopesOf } from '@app/workspace';

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

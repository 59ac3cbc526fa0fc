import { type ErrorCode, newId } from '@app/kernel';
import type { Statements } from '@app/platform/database';
import type { RefusableAction } from './audit-actions.js';
import { INSERT_AUDIT_EVENT, valuesOf } from './new-audit-event.js';
import type { Principal } from './principal.js';

/** Writes rejected attempts to the audit log. */
export class RefusalLogService {
  constructor(private readonly statements: Statements) {}

  /** Records a rejected attempt as the action `<action>_refused`. */
  async record(principal: Principal, action: RefusableAction, code: ErrorCode): Promise<void> {
    const { workspaceId, email, role, key, session } = principal;
    const detail = { code, role, ...(key && { key: key.id }), ...(session && { session: session.id }) };
    const entry = { workspaceId, actor: email, action: `${action}_refused`, target: workspaceId, detail };
    await this.statements.query(INSERT_AUDIT_EVENT, valuesOf({ id: newId('event'), ...entry }));
  }
}

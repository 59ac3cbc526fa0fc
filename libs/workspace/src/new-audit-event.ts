import type { Statement } from '@app/platform/database';
import type { AuditEventEntity } from './audit-event.entity.js';

export type NewAuditEvent = Omit<AuditEventEntity, 'createdAt'>;

export const INSERT_AUDIT_EVENT: Statement = {
  name: 'workspace.insert_audit_event',
  text: 'insert into audit_events (id, workspace_id, actor, action, target, detail) values ($1, $2, $3, $4, $5, $6)',
};

/** Returns the parameters of {@link INSERT_AUDIT_EVENT}. */
export function valuesOf({ id, workspaceId, actor, action, target, detail }: NewAuditEvent): unknown[] {
  return [id, workspaceId, actor, action, target, JSON.stringify(detail)];
}

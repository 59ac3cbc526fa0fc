import type { AuditEvent, AuditTrail } from '@app/workspace';
import type { ListSource } from '../http/list-pages.js';
import type { AuditEventResource, ListAuditEventsQuery } from './audit-event.dto.js';

function presentAuditEvent({ id, actor, action, target, detail, createdAt }: AuditEvent): AuditEventResource {
  return { id, actor, action, target, detail, created_at: createdAt.toISOString() };
}

/** The list of audit events that the query asks for. */
export function auditEventList(
  trail: AuditTrail,
  workspaceId: string,
  { actor, action }: ListAuditEventsQuery,
): ListSource<AuditEvent, AuditEventResource> {
  return {
    list: 'audit-events',
    workspaceId,
    filters: { actor: actor ?? null, action: action ?? null },
    read: (page) => trail.list(workspaceId, { actor, action }, page),
    present: presentAuditEvent,
  };
}

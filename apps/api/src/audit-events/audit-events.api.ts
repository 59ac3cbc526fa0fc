import { ApiSchema } from '@nestjs/swagger';
import type { JsonObject } from '@app/kernel';
import { agentsOf, type AuditEventEntity, type AuditFilter, type Principal, RECORDED_ACTIONS } from '@app/workspace';
import { AnyObject, Id, OneOf, Text, TimeParameter, Timestamp } from '../http/fields.js';
import { PageQuery } from '../http/list-pages.service.js';

export class ListAuditEventsQuery extends PageQuery {
  @Text({
    optional: true,
    longest: 320,
    description: 'E-mail address of the member who acted.',
    example: 'ada@example.com',
  })
  actor?: string;
  @OneOf(RECORDED_ACTIONS, {
    optional: true,
    suggests: true,
    description: 'Name of the recorded action.',
    example: 'workspace.stop',
  })
  action?: string;
  @TimeParameter({ optional: true, description: 'Start of the period, inclusive.' }) since?: Date;
  @TimeParameter({ optional: true, description: 'End of the period, exclusive.' }) until?: Date;
}

export function auditFilter({ actor, action, since, until }: ListAuditEventsQuery, principal: Principal): AuditFilter {
  // Addresses are stored in lower case.
  return { actor: actor?.toLowerCase(), action, agents: agentsOf(principal), since, until };
}

export function auditFilters({ actor, action, since, until }: AuditFilter): JsonObject {
  return {
    actor: actor ?? null,
    action: action ?? null,
    since: since?.toISOString() ?? null,
    until: until?.toISOString() ?? null,
  };
}

@ApiSchema({ name: 'AuditEvent', description: 'A recorded action of a member.' })
export class AuditEventResource {
  @Id('event') id: string;
  @Text({ description: 'E-mail address of the member.', example: 'ada@example.com' }) actor: string;
  @Text({
    description: 'Name of the action. It ends with `_refused` if the action was not allowed.',
    example: 'workspace.stop',
  })
  action: string;
  @Text({
    nullable: true,
    description: 'Id or name of the resource that was acted on; null if there is none.',
    example: 'wsp_01kahzvk3te9d8q6f0f1v3m2sx',
  })
  target: string | null;
  @AnyObject({ description: 'Details, which depend on the action.', example: { reason: 'Refunds are paid twice' } })
  detail: JsonObject;
  @Timestamp({ description: 'Time of the action.' }) created_at: string;
}

export function presentAuditEvent({
  id,
  actor,
  action,
  target,
  detail,
  createdAt,
}: AuditEventEntity): AuditEventResource {
  return { id, actor, action, target, detail, created_at: createdAt.toISOString() };
}

import { ApiSchema } from '@nestjs/swagger';
import type { JsonObject } from '@app/kernel';
import { type AuditEventEntity, RECORDED_ACTIONS } from '@app/workspace';
import { AnyObject, OneOf, Text, Timestamp } from '../http/fields.js';
import { PageQuery } from '../http/list-pages.js';

export class ListAuditEventsQuery extends PageQuery {
  @Text({
    optional: true,
    longest: 320,
    description: 'Only what this member did: an e-mail address.',
    example: 'ada@example.com',
  })
  actor?: string;
  @OneOf(RECORDED_ACTIONS, {
    optional: true,
    suggests: true,
    description: 'Only events with this action.',
    example: 'workspace.stop',
  })
  action?: string;
}

@ApiSchema({ name: 'AuditEvent' })
export class AuditEventResource {
  @Text({ example: 'evt_01kahzvk3te9d8q6f0f1v3m2sx' }) id: string;
  @Text({ description: 'E-mail address of the member.', example: 'ada@example.com' }) actor: string;
  @Text({ description: 'What was done; `…_refused` where it was not allowed.', example: 'workspace.stop' })
  action: string;
  @Text({ nullable: true, description: 'Id or name of what it was done to.' }) target: string | null;
  @AnyObject() detail: JsonObject;
  @Timestamp() created_at: string;
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

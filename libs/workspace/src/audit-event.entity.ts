import type { JsonObject } from '@app/kernel';
import { Column, Entity, Index, PrimaryColumn } from 'typeorm';

/** An entry of the audit log: an action of a member, or a rejected attempt. It never changes. */
@Entity('audit_events')
@Index('audit_events_list_ix', ['workspaceId', 'id'])
@Index('audit_events_actor_ix', ['workspaceId', 'actor', 'id'])
@Index('audit_events_action_ix', ['workspaceId', 'action', 'id'])
export class AuditEventEntity {
  @PrimaryColumn({ type: 'text', collation: 'C', primaryKeyConstraintName: 'audit_events_pk' })
  id: string;

  @Column({ name: 'workspace_id', type: 'text', collation: 'C' })
  workspaceId: string;

  /** E-mail address of the member who did or attempted the action. */
  @Column({ type: 'text' })
  actor: string;

  /** Name of the action as `noun.verb`, for example `workspace.stop`. */
  @Column({ type: 'text' })
  action: string;

  /** Id or name of the changed object. */
  @Column({ type: 'text', nullable: true })
  target: string | null;

  @Column({ type: 'jsonb', default: {} })
  detail: JsonObject;

  @Column({ name: 'created_at', type: 'timestamptz', precision: 3, default: () => 'clock_timestamp()' })
  createdAt: Date;
}

/** Selects entries of the audit log. A filter that is absent selects all of them. */
export interface AuditFilter {
  /** E-mail address of the member who did or attempted the action. */
  actor?: string;
  action?: string;
  /** Selects the events that concern no other agent than these, and nothing that belongs to an agent. */
  agents?: readonly string[] | null;
  /** Start of the period, inclusive. */
  since?: Date;
  /** End of the period, exclusive. */
  until?: Date;
}

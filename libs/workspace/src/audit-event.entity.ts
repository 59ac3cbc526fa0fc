import type { JsonObject } from '@app/kernel';
import { Column, Entity, PrimaryColumn } from 'typeorm';

@Entity('audit_events')
export class AuditEventEntity {
  @PrimaryColumn({ type: 'text', collation: 'C' })
  id: string;

  @Column({ name: 'workspace_id', type: 'text', collation: 'C' })
  workspaceId: string;

  @Column({ type: 'text' })
  actor: string;

  @Column({ type: 'text' })
  action: string;

  @Column({ type: 'text', nullable: true })
  target: string | null;

  @Column({ type: 'jsonb', default: {} })
  detail: JsonObject;

  @Column({ name: 'created_at', type: 'timestamptz', precision: 3, default: () => 'clock_timestamp()' })
  createdAt: Date;
}

export interface AuditFilter {
  actor?: string;
  action?: string;
  /** Selects the events that concern no other agent than these, and nothing that belongs to an agent. */
  agents?: readonly string[] | null;
  since?: Date;
  until?: Date;
}

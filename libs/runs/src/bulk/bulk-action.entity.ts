import { Check, Column, Entity, Index, PrimaryColumn } from 'typeorm';
import type { RunMode } from '../records/run-status.js';
import type { BulkActionKind, BulkActionStatus } from './bulk-action-status.js';

/** Only the functions in sql/ write it. */
@Entity('bulk_actions')
@Check('bulk_actions_action_ck', `action in ('cancel', 'replay') and (action = 'replay') = (mode is not null)`)
@Check(
  'bulk_actions_status_ck',
  `status in ('queued', 'running', 'completed') and (status = 'completed') = (succeeded + failed = total)
    and (status = 'completed') = (due_at is null) and (status = 'completed') = (ended_at is not null)`,
)
@Index('bulk_actions_due_ix', ['dueAt'], { where: 'due_at is not null' })
@Index('bulk_actions_open_ix', ['workspaceId'], { where: 'due_at is not null' })
@Index('bulk_actions_ended_ix', ['endedAt'], { where: 'ended_at is not null' })
export class BulkActionEntity {
  @PrimaryColumn({ type: 'text', collation: 'C', primaryKeyConstraintName: 'bulk_actions_pk' })
  id: string;

  @Column({ name: 'workspace_id', type: 'text', collation: 'C' })
  workspaceId: string;

  @Column({ type: 'text' })
  action: BulkActionKind;

  @Column({ type: 'text', nullable: true })
  mode: RunMode | null;

  @Column({ type: 'text' })
  actor: string;

  @Column({ type: 'text' })
  status: BulkActionStatus;

  @Column({ type: 'integer' })
  total: number;

  @Column({ type: 'integer', default: 0 })
  succeeded: number;

  @Column({ type: 'integer', default: 0 })
  failed: number;

  @Column({ name: 'due_at', type: 'timestamptz', nullable: true })
  dueAt: Date | null;

  @Column({ name: 'created_at', type: 'timestamptz', precision: 3, default: () => 'clock_timestamp()' })
  createdAt: Date;

  @Column({ name: 'ended_at', type: 'timestamptz', precision: 3, nullable: true })
  endedAt: Date | null;
}

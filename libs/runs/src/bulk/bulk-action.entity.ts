import { Column, Entity, PrimaryColumn } from 'typeorm';
import type { RunMode } from '../records/run-status.js';
import type { BulkActionKind, BulkActionStatus } from './bulk-action-status.js';

/** Only the functions in sql/ write it. */
@Entity('bulk_actions')
export class BulkActionEntity {
  @PrimaryColumn({ type: 'text', collation: 'C' })
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

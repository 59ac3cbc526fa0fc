import type { JsonObject } from '@app/kernel';
import { Check, Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';
import { KnowledgeSourceEntity } from '../sources/store/knowledge-source.entity.js';
import type { SyncError } from '../sources/store/source-status.js';
import type { DocumentFailure, SkippedItems, SyncStatus } from './claimed-sync.js';

@Entity('knowledge_syncs')
@Index('knowledge_syncs_source_ix', ['sourceId', 'id'])
@Index('knowledge_syncs_open_uq', ['sourceId'], { unique: true, where: 'ended_at is null' })
@Index('knowledge_syncs_due_ix', ['dueAt'], { where: 'due_at is not null' })
@ForeignKey(() => KnowledgeSourceEntity, ['workspaceId', 'sourceId'], ['workspaceId', 'id'], {
  name: 'knowledge_syncs_source_fk',
})
@Check(
  'knowledge_syncs_status_ck',
  `status in ('queued', 'running', 'succeeded', 'completed_with_errors', 'failed', 'cancelled')`,
)
@Check('knowledge_syncs_end_ck', `(status in ('queued', 'running')) = (ended_at is null)`)
@Check('knowledge_syncs_due_ck', '(ended_at is null) = (due_at is not null)')
@Check('knowledge_syncs_worker_ck', `(status = 'running') = (worker is not null)`)
export class KnowledgeSyncEntity {
  @PrimaryColumn({ type: 'text', collation: 'C', primaryKeyConstraintName: 'knowledge_syncs_pk' })
  id: string;

  @Column({ name: 'workspace_id', type: 'text', collation: 'C' })
  workspaceId: string;

  @Column({ name: 'knowledge_base_id', type: 'text', collation: 'C' })
  knowledgeBaseId: string;

  @Column({ name: 'source_id', type: 'text', collation: 'C' })
  sourceId: string;

  @Column({ type: 'text', default: 'queued' })
  status: SyncStatus;

  @Column({ type: 'integer', default: 0 })
  seen: number;

  @Column({ type: 'integer', default: 0 })
  added: number;

  @Column({ type: 'integer', default: 0 })
  updated: number;

  @Column({ type: 'integer', default: 0 })
  unchanged: number;

  @Column({ type: 'integer', default: 0 })
  deleted: number;

  @Column({ type: 'integer', default: 0 })
  failed: number;

  @Column({ type: 'integer', nullable: true })
  total: number | null;

  @Column({ type: 'jsonb', default: [] })
  failures: DocumentFailure[];

  @Column({ type: 'jsonb', nullable: true })
  skipped: SkippedItems | null;

  @Column({ type: 'jsonb', nullable: true })
  checkpoint: JsonObject | null;

  @Column({ type: 'jsonb', nullable: true })
  error: SyncError | null;

  @Column({ name: 'held_deletions', type: 'integer', nullable: true })
  heldDeletions: number | null;

  @Column({ name: 'deletions_confirmed_by', type: 'text', nullable: true })
  deletionsConfirmedBy: string | null;

  @Column({ name: 'deletions_confirmed_at', type: 'timestamptz', precision: 3, nullable: true })
  deletionsConfirmedAt: Date | null;

  /** Null if the schedule requested it. */
  @Column({ name: 'requested_by', type: 'text', nullable: true })
  requestedBy: string | null;

  @Column({ name: 'cancel_requested', type: 'boolean', default: false })
  cancelRequested: boolean;

  /** The sync then reads these documents before it ends, or another sync follows. */
  @Column({ name: 'follow_up', type: 'boolean', default: false })
  followUp: boolean;

  @Column({ type: 'text', nullable: true })
  worker: string | null;

  /** A worker can write only while its attempt is the current attempt. */
  @Column({ type: 'integer', default: 0 })
  attempt: number;

  /** For a queued sync, the time at which it may start. For a running sync, the time at which its lease expires. */
  @Column({ name: 'due_at', type: 'timestamptz', nullable: true })
  dueAt: Date | null;

  @Column({ name: 'created_at', type: 'timestamptz', precision: 3, default: () => 'clock_timestamp()' })
  createdAt: Date;

  @Column({ name: 'started_at', type: 'timestamptz', precision: 3, nullable: true })
  startedAt: Date | null;

  @Column({ name: 'ended_at', type: 'timestamptz', precision: 3, nullable: true })
  endedAt: Date | null;
}

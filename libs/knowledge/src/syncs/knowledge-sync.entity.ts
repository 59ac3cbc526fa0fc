import type { JsonObject } from '@app/kernel';
import { Check, Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';
import { KnowledgeSourceEntity } from '../sources/store/knowledge-source.entity.js';
import type { SyncError } from '../sources/store/source-status.js';
import type { DocumentFailure, SkippedItems, SyncStatus } from './sync-status.js';

/** One bringing of a base in step with a source. */
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

  /** Documents come by, failed ones included. */
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

  /** Where it is known beforehand. */
  @Column({ type: 'integer', nullable: true })
  total: number | null;

  /** The first hundred. */
  @Column({ type: 'jsonb', default: [] })
  failures: DocumentFailure[];

  /** What the source has and the service does not read; null where the connector does not tell. */
  @Column({ type: 'jsonb', nullable: true })
  skipped: SkippedItems | null;

  /** Where the connector goes on after a kill. */
  @Column({ type: 'jsonb', nullable: true })
  checkpoint: JsonObject | null;

  @Column({ type: 'jsonb', nullable: true })
  error: SyncError | null;

  /** Documents that the source has no more and that the deletion guard kept; null where it had nothing to say. */
  @Column({ name: 'held_deletions', type: 'integer', nullable: true })
  heldDeletions: number | null;

  @Column({ name: 'deletions_confirmed_by', type: 'text', nullable: true })
  deletionsConfirmedBy: string | null;

  @Column({ name: 'deletions_confirmed_at', type: 'timestamptz', precision: 3, nullable: true })
  deletionsConfirmedAt: Date | null;

  /** E-mail address of the member; null where the schedule asked. */
  @Column({ name: 'requested_by', type: 'text', nullable: true })
  requestedBy: string | null;

  @Column({ name: 'cancel_requested', type: 'boolean', default: false })
  cancelRequested: boolean;

  /** Something has come that it may have passed already: it continues with that, or another follows it if it ends otherwise. */
  @Column({ name: 'follow_up', type: 'boolean', default: false })
  followUp: boolean;

  /** Who has it in hand. */
  @Column({ type: 'text', nullable: true })
  worker: string | null;

  /** Raised by every claim: what a worker writes names the attempt it was given, and is refused when another has it. */
  @Column({ type: 'integer', default: 0 })
  attempt: number;

  /** Of a queued one: when it may begin. Of a running one: when its lease is over. */
  @Column({ name: 'due_at', type: 'timestamptz', nullable: true })
  dueAt: Date | null;

  @Column({ name: 'created_at', type: 'timestamptz', precision: 3, default: () => 'clock_timestamp()' })
  createdAt: Date;

  @Column({ name: 'started_at', type: 'timestamptz', precision: 3, nullable: true })
  startedAt: Date | null;

  @Column({ name: 'ended_at', type: 'timestamptz', precision: 3, nullable: true })
  endedAt: Date | null;
}

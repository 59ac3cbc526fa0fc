import type { JsonObject } from '@app/kernel';
import { Column, Entity, PrimaryColumn } from 'typeorm';
import type { SyncError } from '../sources/store/source-status.js';
import type { DocumentFailure, SkippedItems, SyncStatus } from './claimed-sync.js';

@Entity('knowledge_syncs')
export class KnowledgeSyncEntity {
  @PrimaryColumn({ type: 'text', collation: 'C' })
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

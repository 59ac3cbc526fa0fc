import type { JsonObject } from '@app/kernel';
import { Column, Entity, PrimaryColumn } from 'typeorm';
import type { SyncError } from './source-status.js';
import type { AuthorizationState, SourceStatus } from './source-status.js';
import type { SyncSchedule } from './sync-schedule.js';

/** A source of documents. After the commit that sets `deleted_at`, searches no longer find its documents. */
@Entity('knowledge_sources')
export class KnowledgeSourceEntity {
  @PrimaryColumn({ type: 'text', collation: 'C' })
  id: string;

  @Column({ name: 'workspace_id', type: 'text', collation: 'C' })
  workspaceId: string;

  @Column({ name: 'knowledge_base_id', type: 'text', collation: 'C' })
  knowledgeBaseId: string;

  @Column({ type: 'text', collation: 'C' })
  connector: string;

  /** Contains secrets only as references `${{ secrets.NAME }}`, never as values. */
  @Column({ type: 'jsonb' })
  config: JsonObject;

  @Column({ type: 'jsonb' })
  schedule: SyncSchedule;

  @Column({ type: 'text', default: 'pending' })
  status: SourceStatus;

  @Column({ name: 'authorization_state', type: 'text', default: 'not_required' })
  authorizationState: AuthorizationState;

  @Column({ type: 'text', nullable: true })
  account: string | null;

  @Column({ name: 'next_sync_at', type: 'timestamptz', precision: 3, nullable: true })
  nextSyncAt: Date | null;

  @Column({ name: 'last_sync_id', type: 'text', collation: 'C', nullable: true })
  lastSyncId: string | null;

  @Column({ name: 'document_count', type: 'integer', default: 0 })
  documentCount: number;

  @Column({ type: 'jsonb', nullable: true })
  error: SyncError | null;

  @Column({ name: 'created_by', type: 'text' })
  createdBy: string;

  @Column({ name: 'created_at', type: 'timestamptz', precision: 3, default: () => 'clock_timestamp()' })
  createdAt: Date;

  @Column({ name: 'updated_at', type: 'timestamptz', precision: 3, default: () => 'clock_timestamp()' })
  updatedAt: Date;

  @Column({ name: 'deleted_at', type: 'timestamptz', precision: 3, nullable: true })
  deletedAt: Date | null;
}

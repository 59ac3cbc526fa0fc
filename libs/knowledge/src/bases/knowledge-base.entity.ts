import { Check, Column, Entity, ForeignKey, Index, PrimaryColumn, Unique } from 'typeorm';
import type { KnowledgeSettings } from './knowledge-settings.js';

/** A collection of documents. From the commit that sets `deleted_at` on, nobody finds it or anything in it. */
@Entity('knowledge_bases')
@Unique('knowledge_bases_scope_uq', ['workspaceId', 'id'])
@Index('knowledge_bases_name_uq', ['workspaceId', 'name'], { unique: true, where: 'deleted_at is null' })
@ForeignKey('Workspace', ['workspaceId'], ['id'], { name: 'knowledge_bases_workspace_fk' })
@Check('knowledge_bases_counts_ck', 'document_count >= 0 and chunk_count >= 0')
export class KnowledgeBase {
  @PrimaryColumn({ type: 'text', collation: 'C', primaryKeyConstraintName: 'knowledge_bases_pk' })
  id: string;

  @Column({ name: 'workspace_id', type: 'text', collation: 'C' })
  workspaceId: string;

  @Column({ type: 'text' })
  name: string;

  @Column({ type: 'text', default: '' })
  description: string;

  /** Where its texts are kept; never changes. */
  @Column({ type: 'text' })
  region: string;

  @Column({ type: 'jsonb' })
  settings: KnowledgeSettings;

  /** Counted by the very transactions that add and remove documents. */
  @Column({ name: 'document_count', type: 'integer', default: 0 })
  documentCount: number;

  @Column({ name: 'chunk_count', type: 'integer', default: 0 })
  chunkCount: number;

  /** The passages that are searched: those that were cut and embedded under the settings of one time. */
  @Column({ type: 'integer', default: 1 })
  generation: number;

  /** The generation that is being built beside it, since the settings have changed. */
  @Column({ type: 'integer', nullable: true })
  building: number | null;

  /** Words of all passages: what the length of a passage is compared with. */
  @Column({ name: 'word_count', type: 'bigint', default: 0 })
  wordCount: string;

  /** Names of the text search configurations that its passages were read with. */
  @Column({ type: 'text', array: true, default: [] })
  languages: string[];

  /** Raised by every replacement of the grants. */
  @Column({ name: 'access_version', type: 'integer', default: 1 })
  accessVersion: number;

  @Column({ name: 'last_synced_at', type: 'timestamptz', precision: 3, nullable: true })
  lastSyncedAt: Date | null;

  @Column({ name: 'created_by', type: 'text' })
  createdBy: string;

  @Column({ name: 'created_at', type: 'timestamptz', precision: 3, default: () => 'clock_timestamp()' })
  createdAt: Date;

  @Column({ name: 'updated_at', type: 'timestamptz', precision: 3, default: () => 'clock_timestamp()' })
  updatedAt: Date;

  @Column({ name: 'deleted_at', type: 'timestamptz', precision: 3, nullable: true })
  deletedAt: Date | null;
}

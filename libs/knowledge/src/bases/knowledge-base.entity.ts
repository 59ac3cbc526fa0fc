import { Check, Column, Entity, ForeignKey, Index, PrimaryColumn, Unique } from 'typeorm';
import type { IndexSettings, KnowledgeSettings } from './knowledge-settings.js';

/** Why the index of a base makes no progress, for people, with a word for programs. */
export type IndexError = { code: string; message: string };

/** A collection of documents. From the commit that sets `deleted_at` on, nobody finds it or anything in it. */
@Entity('knowledge_bases')
@Unique('knowledge_bases_scope_uq', ['workspaceId', 'id'])
@Index('knowledge_bases_name_uq', ['workspaceId', 'name'], { unique: true, where: 'deleted_at is null' })
@ForeignKey('WorkspaceEntity', ['workspaceId'], ['id'], { name: 'knowledge_bases_workspace_fk' })
@Index('knowledge_bases_index_due_ix', ['indexDueAt'], { where: 'index_due_at is not null' })
@Index('knowledge_bases_stale_ix', ['id'], { where: "stale_generations <> '{}'" })
@Check('knowledge_bases_counts_ck', 'document_count >= 0 and chunk_count >= 0')
export class KnowledgeBaseEntity {
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

  /** What the generation that is searched was made with. `settings` say what is wanted, and what the one being built is made with. */
  @Column({ type: 'jsonb' })
  indexed: IndexSettings;

  /** The highest number that a generation has had. */
  @Column({ name: 'last_generation', type: 'integer', default: 1 })
  lastGeneration: number;

  /** Generations that nobody searches any more, until they are cleared away. */
  @Column({ name: 'stale_generations', type: 'integer', array: true, default: [] })
  staleGenerations: number[];

  /** When there is work on the index: when it may begin, or when the lease of whoever does it is over. Null: all is done. */
  @Column({ name: 'index_due_at', type: 'timestamptz', nullable: true })
  indexDueAt: Date | null;

  /** Raised by every claim of that work. */
  @Column({ name: 'index_attempt', type: 'integer', default: 0 })
  indexAttempt: number;

  /** In a row. */
  @Column({ name: 'index_failures', type: 'integer', default: 0 })
  indexFailures: number;

  /** Why the work stands still, until it goes on. */
  @Column({ name: 'index_error', type: 'jsonb', nullable: true })
  indexError: IndexError | null;

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

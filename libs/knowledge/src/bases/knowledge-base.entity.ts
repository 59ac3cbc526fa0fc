import { Column, Entity, PrimaryColumn } from 'typeorm';
import type { IndexSettings, KnowledgeSettings } from './knowledge-settings.js';

export type IndexError = { code: string; message: string };

/** After the commit that sets `deleted_at`, searches no longer find its documents. */
@Entity('knowledge_bases')
export class KnowledgeBaseEntity {
  @PrimaryColumn({ type: 'text', collation: 'C' })
  id: string;

  @Column({ name: 'workspace_id', type: 'text', collation: 'C' })
  workspaceId: string;

  @Column({ type: 'text' })
  name: string;

  @Column({ type: 'text', default: '' })
  description: string;

  /** It never changes. */
  @Column({ type: 'text' })
  region: string;

  @Column({ type: 'jsonb' })
  settings: KnowledgeSettings;

  /** The transactions that add or delete documents update it. */
  @Column({ name: 'document_count', type: 'integer', default: 0 })
  documentCount: number;

  @Column({ name: 'chunk_count', type: 'integer', default: 0 })
  chunkCount: number;

  /**
   * Number of the generation that is searched. A generation is the set of passages that were cut and embedded with the
   * same settings.
   */
  @Column({ type: 'integer', default: 1 })
  generation: number;

  /** Null if none is being built. */
  @Column({ type: 'integer', nullable: true })
  building: number | null;

  @Column({ type: 'jsonb' })
  indexed: IndexSettings;

  @Column({ name: 'last_generation', type: 'integer', default: 1 })
  lastGeneration: number;

  /** Numbers of replaced and abandoned generations whose passages are not purged yet. */
  @Column({ name: 'stale_generations', type: 'integer', array: true, default: [] })
  staleGenerations: number[];

  /**
   * If index work is pending: the time at which it may start. While a worker does the work: the time at which the lease
   * of the worker expires. Otherwise null.
   */
  @Column({ name: 'index_due_at', type: 'timestamptz', nullable: true })
  indexDueAt: Date | null;

  @Column({ name: 'index_attempt', type: 'integer', default: 0 })
  indexAttempt: number;

  @Column({ name: 'index_failures', type: 'integer', default: 0 })
  indexFailures: number;

  /** A successful attempt removes it. */
  @Column({ name: 'index_error', type: 'jsonb', nullable: true })
  indexError: IndexError | null;

  /** The average length of a passage is computed from it. */
  @Column({ name: 'word_count', type: 'bigint', default: 0 })
  wordCount: string;

  @Column({ type: 'text', array: true, default: [] })
  languages: string[];

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

export interface BaseContents {
  /** A source may be in several of these states. */
  sources: { total: number; syncing: number; failing: number; expired: number };
  grants: { users: number; groups: number; channels: number; agents: number };
}

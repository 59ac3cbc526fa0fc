import type { JsonObject } from '@app/kernel';
import { Column, Entity, PrimaryColumn } from 'typeorm';

/** After the commit that sets `deleted_at`, searches no longer find it. */
@Entity('knowledge_documents')
export class KnowledgeDocumentEntity {
  @PrimaryColumn({ type: 'text', collation: 'C' })
  id: string;

  @Column({ name: 'workspace_id', type: 'text', collation: 'C' })
  workspaceId: string;

  @Column({ name: 'knowledge_base_id', type: 'text', collation: 'C' })
  knowledgeBaseId: string;

  @Column({ name: 'source_id', type: 'text', collation: 'C' })
  sourceId: string;

  @Column({ type: 'text', collation: 'C' })
  key: string;

  @Column({ type: 'text' })
  title: string;

  @Column({ type: 'text', nullable: true })
  url: string | null;

  @Column({ type: 'integer', default: 1 })
  version: number;

  @Column({ name: 'content_type', type: 'text' })
  contentType: string;

  @Column({ type: 'text' })
  language: string;

  /** SHA-256 of the original bytes, in hexadecimal. */
  @Column({ type: 'text', collation: 'C' })
  hash: string;

  @Column({ type: 'jsonb', nullable: true })
  validator: JsonObject | null;

  /**
   * Version of the text extraction that read the document. Null if the text was stored before versions were recorded.
   */
  @Column({ name: 'read_version', type: 'integer', nullable: true })
  readVersion: number | null;

  @Column({ type: 'integer' })
  bytes: number;

  @Column({ name: 'chunk_count', type: 'integer', default: 0 })
  chunkCount: number;

  @Column({ name: 'word_count', type: 'integer', default: 0 })
  wordCount: number;

  @Column({ name: 'built_generation', type: 'integer', nullable: true })
  builtGeneration: number | null;

  @Column({ name: 'built_chunks', type: 'integer', default: 0 })
  builtChunks: number;

  @Column({ name: 'built_words', type: 'integer', default: 0 })
  builtWords: number;

  @Column({ name: 'seen_sync', type: 'text', collation: 'C', nullable: true })
  seenSync: string | null;

  @Column({ name: 'created_at', type: 'timestamptz', precision: 3, default: () => 'clock_timestamp()' })
  createdAt: Date;

  @Column({ name: 'updated_at', type: 'timestamptz', precision: 3, default: () => 'clock_timestamp()' })
  updatedAt: Date;

  @Column({ name: 'deleted_at', type: 'timestamptz', precision: 3, nullable: true })
  deletedAt: Date | null;
}

import { Column, Entity, ForeignKey, PrimaryColumn } from 'typeorm';
import { KnowledgeSourceEntity } from './knowledge-source.entity.js';

/** A document that somebody pushed, as it came: what an upload source is synced from. */
@Entity('knowledge_uploads')
@ForeignKey(() => KnowledgeSourceEntity, ['workspaceId', 'sourceId'], ['workspaceId', 'id'], {
  name: 'knowledge_uploads_source_fk',
})
export class UploadEntity {
  @PrimaryColumn({ name: 'source_id', type: 'text', collation: 'C', primaryKeyConstraintName: 'knowledge_uploads_pk' })
  sourceId: string;

  /** What the document is called within its source; pushing the same again replaces it. */
  @PrimaryColumn({ type: 'text', collation: 'C', primaryKeyConstraintName: 'knowledge_uploads_pk' })
  key: string;

  @Column({ name: 'workspace_id', type: 'text', collation: 'C' })
  workspaceId: string;

  @Column({ type: 'text', nullable: true })
  title: string | null;

  @Column({ name: 'content_type', type: 'text' })
  contentType: string;

  /** Bytes. */
  @Column({ type: 'integer' })
  size: number;

  /** SHA-256 of the bytes, hex. */
  @Column({ type: 'text', collation: 'C' })
  hash: string;

  @Column({ type: 'bytea', select: false })
  content: Buffer;

  @Column({ name: 'uploaded_by', type: 'text' })
  uploadedBy: string;

  @Column({ name: 'uploaded_at', type: 'timestamptz', precision: 3, default: () => 'clock_timestamp()' })
  uploadedAt: Date;
}

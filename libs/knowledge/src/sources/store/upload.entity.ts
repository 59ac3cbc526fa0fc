import { Column, Entity, ForeignKey, PrimaryColumn } from 'typeorm';
import { KnowledgeSourceEntity } from './knowledge-source.entity.js';

/** A pushed document with its original bytes. A sync of an upload source reads these rows. */
@Entity('knowledge_uploads')
@ForeignKey(() => KnowledgeSourceEntity, ['workspaceId', 'sourceId'], ['workspaceId', 'id'], {
  name: 'knowledge_uploads_source_fk',
})
export class UploadEntity {
  @PrimaryColumn({ name: 'source_id', type: 'text', collation: 'C', primaryKeyConstraintName: 'knowledge_uploads_pk' })
  sourceId: string;

  /** The name of the document within its source. A document that is pushed again replaces the stored document. */
  @PrimaryColumn({ type: 'text', collation: 'C', primaryKeyConstraintName: 'knowledge_uploads_pk' })
  key: string;

  @Column({ name: 'workspace_id', type: 'text', collation: 'C' })
  workspaceId: string;

  @Column({ type: 'text', nullable: true })
  title: string | null;

  @Column({ name: 'content_type', type: 'text' })
  contentType: string;

  @Column({ type: 'integer' })
  size: number;

  /** SHA-256 of the bytes, in hexadecimal. */
  @Column({ type: 'text', collation: 'C' })
  hash: string;

  @Column({ type: 'bytea', select: false })
  content: Buffer;

  @Column({ name: 'uploaded_by', type: 'text' })
  uploadedBy: string;

  @Column({ name: 'uploaded_at', type: 'timestamptz', precision: 3, default: () => 'clock_timestamp()' })
  uploadedAt: Date;
}

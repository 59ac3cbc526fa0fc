import { Column, Entity, ForeignKey, PrimaryColumn } from 'typeorm';
import { KnowledgeDocumentEntity } from './knowledge-document.entity.js';

/** The text of a document. When the index settings change, the stored text is cut into passages again. */
@Entity('knowledge_texts')
@ForeignKey(() => KnowledgeDocumentEntity, ['workspaceId', 'documentId'], ['workspaceId', 'id'], {
  name: 'knowledge_texts_document_fk',
  onDelete: 'CASCADE',
})
export class KnowledgeTextEntity {
  @PrimaryColumn({ name: 'document_id', type: 'text', collation: 'C', primaryKeyConstraintName: 'knowledge_texts_pk' })
  documentId: string;

  @Column({ name: 'workspace_id', type: 'text', collation: 'C' })
  workspaceId: string;

  @Column({ type: 'text' })
  body: string;
}

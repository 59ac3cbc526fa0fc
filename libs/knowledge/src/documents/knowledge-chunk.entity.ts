import { Column, Entity, PrimaryColumn } from 'typeorm';

/** A passage of a document, in one generation of its knowledge base. */
@Entity('knowledge_chunks')
export class KnowledgeChunkEntity {
  @PrimaryColumn({ name: 'document_id', type: 'text', collation: 'C' })
  documentId: string;

  @PrimaryColumn({ type: 'integer' })
  generation: number;

  @PrimaryColumn({ type: 'integer' })
  n: number;

  @Column({ name: 'workspace_id', type: 'text', collation: 'C' })
  workspaceId: string;

  @Column({ name: 'knowledge_base_id', type: 'text', collation: 'C' })
  knowledgeBaseId: string;

  @Column({ type: 'text' })
  heading: string;

  @Column({ type: 'text' })
  body: string;

  /** Start of the passage in the text of the document, in UTF-16 code units. */
  @Column({ name: 'start_offset', type: 'integer' })
  start: number;

  @Column({ name: 'end_offset', type: 'integer' })
  end: number;

  @Column({ type: 'integer' })
  tokens: number;

  @Column({ type: 'integer' })
  words: number;

  @Column({ type: 'text' })
  language: string;

  /**
   * The indexed words. Weight A: title, B: headings, C: address. An additional word `<base id>:<generation>` identifies
   * the knowledge base and the generation of the passage.
   */
  @Column({ type: 'tsvector', select: false })
  search: string;
}

import { Check, Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';
import { KnowledgeChunkEntity } from './knowledge-chunk.entity.js';

/**
 * The vector of a passage. The row is inserted together with the passage. `bits` and `vector` are null until the
 * embedding provider has returned the vector.
 */
@Entity('knowledge_vectors')
@Index('knowledge_vectors_waiting_ix', ['knowledgeBaseId', 'generation', 'documentId', 'n'], {
  where: 'bits is null and refusal is null',
})
@Index('knowledge_vectors_base_ix', ['knowledgeBaseId', 'generation'])
@ForeignKey(() => KnowledgeChunkEntity, ['documentId', 'generation', 'n'], ['documentId', 'generation', 'n'], {
  name: 'knowledge_vectors_chunk_fk',
  onDelete: 'CASCADE',
})
@Check('knowledge_vectors_whole_ck', '(bits is null) = (vector is null)')
export class KnowledgeVectorEntity {
  @PrimaryColumn({
    name: 'document_id',
    type: 'text',
    collation: 'C',
    primaryKeyConstraintName: 'knowledge_vectors_pk',
  })
  documentId: string;

  @PrimaryColumn({ type: 'integer', primaryKeyConstraintName: 'knowledge_vectors_pk' })
  generation: number;

  @PrimaryColumn({ type: 'integer', primaryKeyConstraintName: 'knowledge_vectors_pk' })
  n: number;

  @Column({ name: 'workspace_id', type: 'text', collation: 'C' })
  workspaceId: string;

  @Column({ name: 'knowledge_base_id', type: 'text', collation: 'C' })
  knowledgeBaseId: string;

  /**
   * One bit for each dimension: 1 if the component is positive, otherwise 0. A search first compares
   * bits, and then compares the vectors of the best candidates.
   */
  @Column({ type: 'bit varying', nullable: true, select: false })
  bits: string | null;

  /** The vector, scaled to length 1, as 32-bit numbers in little-endian order. */
  @Column({ type: 'bytea', nullable: true, select: false })
  vector: Buffer | null;

  /** The reason why the embedding provider rejects the passage. Only keyword search finds such a passage. */
  @Column({ type: 'text', nullable: true })
  refusal: string | null;
}

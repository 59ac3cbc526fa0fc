import { Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';
import { KnowledgeBaseEntity } from '../bases/knowledge-base.entity.js';

/**
 * A word in the passages of a knowledge base, reduced to its stem by the text search of Postgres. Every transaction
 * that writes or purges passages updates `passages`.
 */
@Entity('knowledge_words')
@Index('knowledge_words_similar_ix', { synchronize: false })
@ForeignKey(() => KnowledgeBaseEntity, ['knowledgeBaseId'], ['id'], { name: 'knowledge_words_base_fk' })
export class KnowledgeWordEntity {
  @PrimaryColumn({
    name: 'knowledge_base_id',
    type: 'text',
    collation: 'C',
    primaryKeyConstraintName: 'knowledge_words_pk',
  })
  knowledgeBaseId: string;

  @PrimaryColumn({ type: 'integer', primaryKeyConstraintName: 'knowledge_words_pk' })
  generation: number;

  @PrimaryColumn({ type: 'text', collation: 'C', primaryKeyConstraintName: 'knowledge_words_pk' })
  word: string;

  /** Number of passages that contain the word. Includes passages of deleted documents until they are purged. */
  @Column({ type: 'integer' })
  passages: number;
}

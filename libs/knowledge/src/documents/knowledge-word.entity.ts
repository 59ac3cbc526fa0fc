import { Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';
import { KnowledgeBaseEntity } from '../bases/knowledge-base.entity.js';

/** A word of a base as the text search reduces it. Counted by the transactions that write and clear away passages. */
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

  /** How many passages it stands in, those of deleted documents included until they are cleared away. */
  @Column({ type: 'integer' })
  passages: number;
}

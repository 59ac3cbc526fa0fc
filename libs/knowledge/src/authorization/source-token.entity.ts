import { Column, Entity, ForeignKey, PrimaryColumn } from 'typeorm';
import { KnowledgeSource } from '../sources/knowledge-source.entity.js';

/** What a source with OAuth reads its provider with. Whoever refreshes has the row locked: providers take a refresh token back once. */
@Entity('knowledge_source_tokens')
@ForeignKey(() => KnowledgeSource, ['workspaceId', 'sourceId'], ['workspaceId', 'id'], {
  name: 'knowledge_source_tokens_source_fk',
})
export class SourceToken {
  @PrimaryColumn({
    name: 'source_id',
    type: 'text',
    collation: 'C',
    primaryKeyConstraintName: 'knowledge_source_tokens_pk',
  })
  sourceId: string;

  @Column({ name: 'workspace_id', type: 'text', collation: 'C' })
  workspaceId: string;

  /** `{access, refresh}` as JSON, sealed for this row. */
  @Column({ type: 'bytea' })
  tokens: Buffer;

  /** Of the access token; null: the provider did not say. */
  @Column({ name: 'expires_at', type: 'timestamptz', precision: 3, nullable: true })
  expiresAt: Date | null;

  @Column({ name: 'updated_at', type: 'timestamptz', precision: 3, default: () => 'clock_timestamp()' })
  updatedAt: Date;
}

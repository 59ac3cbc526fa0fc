import { Column, Entity, ForeignKey, PrimaryColumn } from 'typeorm';

/**
 * The tokens of a connection. A process that refreshes them holds the row lock, since a provider accepts a refresh
 * token once.
 */
@Entity('knowledge_source_tokens')
@ForeignKey('KnowledgeSourceEntity', ['workspaceId', 'sourceId'], ['workspaceId', 'id'], {
  name: 'knowledge_source_tokens_source_fk',
})
export class ConnectionTokenEntity {
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

  /** When the access token expires; null: the provider did not say. */
  @Column({ name: 'expires_at', type: 'timestamptz', precision: 3, nullable: true })
  expiresAt: Date | null;

  @Column({ name: 'updated_at', type: 'timestamptz', precision: 3, default: () => 'clock_timestamp()' })
  updatedAt: Date;
}

/** The source that the tokens are for. */
export type TokenPlace = Pick<ConnectionTokenEntity, 'workspaceId' | 'sourceId'>;

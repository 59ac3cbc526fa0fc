import { Column, Entity, ForeignKey, PrimaryColumn } from 'typeorm';

/**
 * The tokens of a source that a person has authorised. A process holds the row lock while it refreshes the tokens,
 * because a provider accepts each refresh token only once.
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

  /** Time at which the access token expires. Null if the provider did not report it. */
  @Column({ name: 'expires_at', type: 'timestamptz', precision: 3, nullable: true })
  expiresAt: Date | null;

  @Column({ name: 'updated_at', type: 'timestamptz', precision: 3, default: () => 'clock_timestamp()' })
  updatedAt: Date;
}

export type TokenPlace = Pick<ConnectionTokenEntity, 'workspaceId' | 'sourceId'>;

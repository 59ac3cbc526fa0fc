import { Column, Entity, Index, PrimaryColumn } from 'typeorm';

/** Tokens that all processes share. One process at a time renews them. */
@Entity('oauth_tokens')
@Index('oauth_tokens_updated_ix', ['updatedAt'])
export class SharedTokenEntity {
  @PrimaryColumn({ name: 'workspace_id', type: 'text', collation: 'C', primaryKeyConstraintName: 'oauth_tokens_pk' })
  workspaceId: string;

  /** The owner of the tokens: the id of a connection, or `client_credentials/<hash>`. */
  @PrimaryColumn({ type: 'text', collation: 'C', primaryKeyConstraintName: 'oauth_tokens_pk' })
  key: string;

  /** `{access, refresh}` as JSON, sealed for this row. Null until a process has received the first tokens. */
  @Column({ type: 'bytea', nullable: true })
  tokens: Buffer | null;

  /** Increases with each renewal. A caller whose token was rejected names the token by its revision. */
  @Column({ type: 'integer', default: 0 })
  revision: number;

  /** Time after which the tokens are renewed. Null if the provider did not report a lifetime. */
  @Column({ name: 'renew_at', type: 'timestamptz', precision: 3, nullable: true })
  renewAt: Date | null;

  @Column({ name: 'expires_at', type: 'timestamptz', precision: 3, nullable: true })
  expiresAt: Date | null;

  /**
   * End of the lease of the process that renews the tokens. If that process dies, another process can renew them after
   * this time.
   */
  @Column({ name: 'leased_until', type: 'timestamptz', precision: 3, nullable: true })
  leasedUntil: Date | null;

  @Column({ name: 'updated_at', type: 'timestamptz', precision: 3, default: () => 'clock_timestamp()' })
  updatedAt: Date;
}

export type TokenOwner = Pick<SharedTokenEntity, 'workspaceId' | 'key'>;

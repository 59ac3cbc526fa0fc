import { Check, Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';
import { WorkspaceEntity } from './workspace.entity.js';

/**
 * A key or secret that an earlier rotation replaced, and that may still be valid. The key or secret that the last
 * rotation replaced is in the row of the owner.
 */
@Entity('former_secrets')
@ForeignKey(() => WorkspaceEntity, ['workspaceId'], ['id'], { name: 'former_secrets_workspace_fk' })
@Index('former_secrets_hash_ix', ['hash'])
@Check('former_secrets_kept_ck', 'hash is not null or sealed is not null')
export class FormerSecretEntity {
  /** Id of the API key, agent or event endpoint. */
  @PrimaryColumn({ name: 'owner_id', type: 'text', collation: 'C', primaryKeyConstraintName: 'former_secrets_pk' })
  ownerId: string;

  /** Sequence number of the former secret. It increases with each rotation of the owner. */
  @PrimaryColumn({ type: 'integer', primaryKeyConstraintName: 'former_secrets_pk' })
  n: number;

  @Column({ name: 'workspace_id', type: 'text', collation: 'C' })
  workspaceId: string;

  /** SHA-256 of the text of the secret. Set only for secrets that a client presents (API keys). */
  @Column({ type: 'bytea', nullable: true })
  hash: Buffer | null;

  /** The text of the secret, sealed for the owner. Set only for secrets with which the service signs or verifies. */
  @Column({ type: 'bytea', nullable: true })
  sealed: Buffer | null;

  @Column({ name: 'expires_at', type: 'timestamptz', precision: 3 })
  expiresAt: Date;
}

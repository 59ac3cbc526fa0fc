import { Check, Column, Entity, ForeignKey, Index, PrimaryColumn, Unique } from 'typeorm';
import { MemberEntity } from '../member.entity.js';
import type { SignInMethod } from '../principal.js';

/** The row is deleted when the session ends. */
@Entity('sessions')
@Unique('sessions_token_uq', ['tokenHash'])
@Index('sessions_list_ix', ['workspaceId', 'memberId', 'id'])
@ForeignKey(() => MemberEntity, ['workspaceId', 'memberId'], ['workspaceId', 'id'], {
  name: 'sessions_member_fk',
  onDelete: 'CASCADE',
})
@Check('sessions_method_ck', "method in ('link', 'invitation', 'email', 'oidc', 'key')")
@Check('sessions_key_ck', "(method = 'key') = (key_id is not null and key_hash is not null)")
@Check('sessions_identity_ck', "(method = 'oidc') = (issuer is not null and subject is not null)")
export class SessionEntity {
  @PrimaryColumn({ type: 'text', collation: 'C', primaryKeyConstraintName: 'sessions_pk' })
  id: string;

  @Column({ name: 'workspace_id', type: 'text', collation: 'C' })
  workspaceId: string;

  @Column({ name: 'member_id', type: 'text', collation: 'C' })
  memberId: string;

  @Column({ name: 'token_hash', type: 'bytea' })
  tokenHash: Buffer;

  @Column({ type: 'text' })
  method: SignInMethod;

  /** The session has the rights of the key and ends when the key becomes invalid. */
  @Column({ name: 'key_id', type: 'text', collation: 'C', nullable: true })
  keyId: string | null;

  /** SHA-256 of the key text with which the session was started. A rotation of the key may invalidate this text. */
  @Column({ name: 'key_hash', type: 'bytea', nullable: true })
  keyHash: Buffer | null;

  /** Together with `subject`, it identifies a person. */
  @Column({ type: 'text', nullable: true })
  issuer: string | null;

  @Column({ type: 'text', nullable: true })
  subject: string | null;

  @Column({ name: 'user_agent', type: 'text' })
  userAgent: string;

  /** Switching to another workspace does not change it. */
  @Column({ name: 'signed_in_at', type: 'timestamptz', precision: 3 })
  signedInAt: Date;

  @Column({ name: 'created_at', type: 'timestamptz', precision: 3, default: () => 'clock_timestamp()' })
  createdAt: Date;

  @Column({ name: 'last_seen_at', type: 'timestamptz', precision: 3, default: () => 'clock_timestamp()' })
  lastSeenAt: Date;

  @Column({ name: 'expires_at', type: 'timestamptz', precision: 3 })
  expiresAt: Date;
}

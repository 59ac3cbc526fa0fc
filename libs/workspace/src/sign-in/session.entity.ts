import { Column, Entity, PrimaryColumn } from 'typeorm';
import type { SignInMethod } from '../principal.js';

/** The row is deleted when the session ends. */
@Entity('sessions')
export class SessionEntity {
  @PrimaryColumn({ type: 'text', collation: 'C' })
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

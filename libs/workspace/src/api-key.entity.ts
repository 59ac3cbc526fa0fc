import { Column, Entity, PrimaryColumn } from 'typeorm';
import type { KeyKind } from './key-kinds.js';
import type { Role } from './roles.js';

@Entity('api_keys')
export class ApiKeyEntity {
  @PrimaryColumn({ type: 'text', collation: 'C' })
  id: string;

  @Column({ name: 'workspace_id', type: 'text', collation: 'C' })
  workspaceId: string;

  @Column({ name: 'member_id', type: 'text', collation: 'C' })
  memberId: string;

  /**
   * Id of the API key whose session authorised the CLI that received this key. A revocation or rotation of that key
   * ends this key, too.
   */
  @Column({ name: 'parent_id', type: 'text', collation: 'C', nullable: true })
  parentId: string | null;

  @Column({ type: 'text' })
  name: string;

  @Column({ type: 'text' })
  kind: KeyKind;

  @Column({ type: 'text' })
  role: Role;

  @Column({ type: 'text', array: true, nullable: true })
  scopes: string[] | null;

  @Column({ type: 'text', array: true, nullable: true })
  agents: string[] | null;

  @Column({ name: 'is_automation', type: 'boolean', default: false })
  isAutomation: boolean;

  @Column({ type: 'bytea' })
  hash: Buffer;

  @Column({ type: 'text' })
  prefix: string;

  @Column({ name: 'last_four', type: 'text' })
  lastFour: string;

  @Column({ name: 'created_at', type: 'timestamptz', precision: 3, default: () => 'clock_timestamp()' })
  createdAt: Date;

  @Column({ name: 'expires_at', type: 'timestamptz', precision: 3, nullable: true })
  expiresAt: Date | null;

  @Column({ name: 'revoked_at', type: 'timestamptz', precision: 3, nullable: true })
  revokedAt: Date | null;

  /** Time of the last use, precise to the minute. */
  @Column({ name: 'last_used_at', type: 'timestamptz', precision: 3, nullable: true })
  lastUsedAt: Date | null;

  /** SHA-256 of the text that the last rotation of the key replaced. */
  @Column({ name: 'previous_hash', type: 'bytea', nullable: true })
  previousHash: Buffer | null;

  /** Time until which the text that the last rotation replaced is valid. */
  @Column({ name: 'previous_expires_at', type: 'timestamptz', precision: 3, nullable: true })
  previousExpiresAt: Date | null;
}

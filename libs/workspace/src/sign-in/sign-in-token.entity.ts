import type { ApiKeyKind } from '@app/platform/crypto';
import { Column, Entity, PrimaryColumn } from 'typeorm';
import type { Role, Scope } from '../roles.js';

export type SignInTokenKind = 'link' | 'invitation' | 'email' | 'cli';

export interface CliGrants {
  name: string;
  role: Role;
  kind: ApiKeyKind;
  scopes: Scope[] | null;
  agents?: readonly string[] | null;
  isAutomation?: boolean;
  /** The code is invalid after the session has ended. */
  session: string;
}

/** It is kept for a while after its use, so that a second use is recognised. */
@Entity('sign_in_tokens')
export class SignInTokenEntity {
  @PrimaryColumn({ type: 'bytea' })
  hash: Buffer;

  @Column({ type: 'text' })
  kind: SignInTokenKind;

  @Column({ name: 'workspace_id', type: 'text', collation: 'C' })
  workspaceId: string;

  @Column({ name: 'member_id', type: 'text', collation: 'C' })
  memberId: string;

  @Column({ name: 'created_at', type: 'timestamptz', precision: 3, default: () => 'clock_timestamp()' })
  createdAt: Date;

  @Column({ name: 'expires_at', type: 'timestamptz', precision: 3 })
  expiresAt: Date;

  @Column({ name: 'used_at', type: 'timestamptz', precision: 3, nullable: true })
  usedAt: Date | null;

  /** A plain hash would not hide the code, because an attacker could hash all six-digit codes. */
  @Column({ name: 'code_mac', type: 'bytea', nullable: true })
  codeMac: Buffer | null;

  /** The code is valid only in that browser. */
  @Column({ name: 'browser_hash', type: 'bytea', nullable: true })
  browserHash: Buffer | null;

  @Column({ name: 'wrong_codes', type: 'integer', default: 0 })
  wrongCodes: number;

  /** The S256 challenge of the CLI's verifier (RFC 7636). */
  @Column({ type: 'text', nullable: true })
  challenge: string | null;

  @Column({ type: 'jsonb', nullable: true })
  grants: CliGrants | null;
}

import { Check, Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';
import { ApiKeyEntity } from '../api-key.entity.js';
import type { McpTokenKind } from './mcp-token-kinds.js';

/** The grant, a code or a token of a key of kind `mcp`. It is valid only as long as the key. */
@Entity('mcp_tokens')
@Index('mcp_tokens_key_ix', ['keyId'])
@Index('mcp_tokens_client_ix', ['clientId'])
@Index('mcp_tokens_expiry_ix', ['expiresAt'])
@ForeignKey(() => ApiKeyEntity, ['keyId'], ['id'], { name: 'mcp_tokens_key_fk', onDelete: 'CASCADE' })
@Check('mcp_tokens_kind_ck', "kind in ('Grant', 'AuthorizationCode', 'AccessToken', 'RefreshToken')")
export class McpTokenEntity {
  /** SHA-256 of the kind and the token, as base64url. */
  @PrimaryColumn({ type: 'text', collation: 'C', primaryKeyConstraintName: 'mcp_tokens_pk' })
  id: string;

  @Column({ type: 'text' })
  kind: McpTokenKind;

  @Column({ name: 'workspace_id', type: 'text', collation: 'C' })
  workspaceId: string;

  @Column({ name: 'key_id', type: 'text', collation: 'C' })
  keyId: string;

  @Column({ name: 'client_id', type: 'text' })
  clientId: string;

  /** The only address at which an access token is valid. Null for other kinds. */
  @Column({ type: 'text', nullable: true })
  resource: string | null;

  @Column({ type: 'bytea' })
  sealed: Buffer;

  @Column({ name: 'expires_at', type: 'timestamptz', precision: 3 })
  expiresAt: Date;

  /** Time of the use of a code or a refresh token, which can be used once. */
  @Column({ name: 'consumed_at', type: 'timestamptz', precision: 3, nullable: true })
  consumedAt: Date | null;
}

import type { JsonObject } from '@app/kernel';
import { Column, Entity, PrimaryColumn } from 'typeorm';

/** The first callback with its OAuth state deletes the row. */
@Entity('knowledge_authorizations')
export class PendingAuthorizationEntity {
  /**
   * SHA-256 of the state, in hexadecimal. The state itself is not stored, so that readers of the table cannot use it.
   */
  @PrimaryColumn({ name: 'state_hash', type: 'text', collation: 'C' })
  stateHash: string;

  @Column({ name: 'workspace_id', type: 'text', collation: 'C' })
  workspaceId: string;

  @Column({ name: 'knowledge_base_id', type: 'text', collation: 'C', nullable: true })
  knowledgeBaseId: string | null;

  @Column({ name: 'source_id', type: 'text', collation: 'C', nullable: true })
  sourceId: string | null;

  @Column({ name: 'connection_id', type: 'text', collation: 'C', nullable: true })
  connectionId: string | null;

  @Column({ type: 'text', collation: 'C' })
  connector: string;

  @Column({ type: 'jsonb' })
  settings: JsonObject;

  /** The PKCE verifier (RFC 7636), encrypted for this row. */
  @Column({ type: 'bytea' })
  verifier: Buffer;

  @Column({ name: 'requested_by', type: 'text' })
  requestedBy: string;

  @Column({ name: 'created_at', type: 'timestamptz', precision: 3, default: () => 'clock_timestamp()' })
  createdAt: Date;

  @Column({ name: 'expires_at', type: 'timestamptz', precision: 3 })
  expiresAt: Date;
}

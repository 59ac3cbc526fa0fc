import { Column, Entity, Index, PrimaryColumn } from 'typeorm';

/** A request of a client for access, until a person has decided it. */
@Entity('mcp_requests')
@Index('mcp_requests_expiry_ix', ['expiresAt'])
export class McpRequestEntity {
  /** SHA-256 of the id of the request, as base64url. */
  @PrimaryColumn({ type: 'text', collation: 'C', primaryKeyConstraintName: 'mcp_requests_pk' })
  id: string;

  /** The workspace, the member and the session that read the request first. Null before that. */
  @Column({ name: 'workspace_id', type: 'text', collation: 'C', nullable: true })
  workspaceId: string | null;

  @Column({ name: 'member_id', type: 'text', collation: 'C', nullable: true })
  memberId: string | null;

  @Column({ name: 'session_id', type: 'text', collation: 'C', nullable: true })
  sessionId: string | null;

  @Column({ type: 'bytea' })
  sealed: Buffer;

  @Column({ name: 'expires_at', type: 'timestamptz', precision: 3 })
  expiresAt: Date;
}

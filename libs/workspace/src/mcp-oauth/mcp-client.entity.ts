import { Column, Entity, PrimaryColumn } from 'typeorm';

/** A client of the MCP server that an admin registered, or that registered itself. It is public: it has no secret. */
@Entity('mcp_clients')
export class McpClientEntity {
  @PrimaryColumn({ type: 'text', collation: 'C' })
  id: string;

  /** Null for a client that registered itself. Otherwise only members of the workspace can give it access. */
  @Column({ name: 'workspace_id', type: 'text', collation: 'C', nullable: true })
  workspaceId: string | null;

  @Column({ type: 'text' })
  name: string;

  @Column({ name: 'redirect_uris', type: 'text', array: true })
  redirectUris: string[];

  @Column({ name: 'created_at', type: 'timestamptz', precision: 3, default: () => 'clock_timestamp()' })
  createdAt: Date;
}

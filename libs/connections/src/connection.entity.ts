import { Check, Column, Entity, ForeignKey, Index, PrimaryColumn, Unique } from 'typeorm';
import type { ConnectionStatus } from './connection-status.js';

export type ConnectionError = { code: 'authorization_revoked' | 'token_refused'; message: string };

/** The beginning of a grant to an agent by its name. */
export const BY_NAME = 'name:';

@Entity('connections')
@Check('connections_status_ck', `status in ('pending', 'active', 'expired')`)
@Check('connections_authorized_ck', `(status = 'pending') = (authorized_at is null)`)
@ForeignKey('WorkspaceEntity', ['workspaceId'], ['id'], { name: 'connections_workspace_fk' })
@Index('connections_list_ix', ['workspaceId', 'id'])
@Unique('connections_name_uq', ['workspaceId', 'name'])
export class ConnectionEntity {
  @PrimaryColumn({ type: 'text', collation: 'C', primaryKeyConstraintName: 'connections_pk' })
  id: string;

  @Column({ name: 'workspace_id', type: 'text', collation: 'C' })
  workspaceId: string;

  @Column({ type: 'text' })
  name: string;

  @Column({ type: 'text', collation: 'C' })
  provider: string;

  @Column({ type: 'text', array: true })
  scopes: string[];

  @Column({ type: 'text', array: true })
  agents: string[];

  @Column({ type: 'text', default: 'pending' })
  status: ConnectionStatus;

  @Column({ type: 'text', nullable: true })
  account: string | null;

  /** Null after the connection was used successfully. */
  @Column({ type: 'jsonb', nullable: true })
  error: ConnectionError | null;

  @Column({ name: 'created_by', type: 'text' })
  createdBy: string;

  @Column({ name: 'authorized_by', type: 'text', nullable: true })
  authorizedBy: string | null;

  @Column({ name: 'authorized_at', type: 'timestamptz', precision: 3, nullable: true })
  authorizedAt: Date | null;

  @Column({ name: 'last_used_at', type: 'timestamptz', precision: 3, nullable: true })
  lastUsedAt: Date | null;

  @Column({ name: 'created_at', type: 'timestamptz', precision: 3, default: () => 'clock_timestamp()' })
  createdAt: Date;

  @Column({ name: 'updated_at', type: 'timestamptz', precision: 3, default: () => 'clock_timestamp()' })
  updatedAt: Date;
}

export type ConnectionPlace = Pick<ConnectionEntity, 'workspaceId' | 'id'>;

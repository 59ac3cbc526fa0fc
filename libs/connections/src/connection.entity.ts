import { Column, Entity, PrimaryColumn } from 'typeorm';
import type { ConnectionStatus } from './connection-status.js';

export type ConnectionError = { code: 'authorization_revoked' | 'token_refused'; message: string; at?: string };

/** The beginning of a grant to an agent by its name. */
export const BY_NAME = 'name:';

@Entity('connections')
export class ConnectionEntity {
  @PrimaryColumn({ type: 'text', collation: 'C' })
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

import { Column, Entity, PrimaryColumn } from 'typeorm';
import type { Role } from './roles.js';

@Entity('members')
export class MemberEntity {
  @PrimaryColumn({ type: 'text', collation: 'C' })
  id: string;

  @Column({ name: 'workspace_id', type: 'text', collation: 'C' })
  workspaceId: string;

  @Column({ type: 'text' })
  email: string;

  @Column({ type: 'text' })
  role: Role;

  @Column({ name: 'created_at', type: 'timestamptz', precision: 3, default: () => 'clock_timestamp()' })
  createdAt: Date;

  /** Time at which the member last signed in or used a session, to the minute. */
  @Column({ name: 'last_used_at', type: 'timestamptz', precision: 3, nullable: true })
  lastUsedAt: Date | null;

  /** Null also if the member last signed in with an earlier release. `lastUsedAt` is then the closest known time. */
  @Column({ name: 'last_signed_in_at', type: 'timestamptz', precision: 3, nullable: true })
  lastSignedInAt: Date | null;
}

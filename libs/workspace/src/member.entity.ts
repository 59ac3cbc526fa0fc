import { Check, Column, Entity, ForeignKey, Index, PrimaryColumn, Unique } from 'typeorm';
import type { Role } from './roles.js';
import { WorkspaceEntity } from './workspace.entity.js';

@Entity('members')
@Unique('members_email_uq', ['workspaceId', 'email'])
@Index('members_person_ix', ['email'])
@Unique('members_scope_uq', ['workspaceId', 'id'])
@ForeignKey(() => WorkspaceEntity, ['workspaceId'], ['id'], { name: 'members_workspace_fk' })
@Check('members_role_ck', "role in ('viewer', 'operator', 'builder', 'admin')")
export class MemberEntity {
  @PrimaryColumn({ type: 'text', collation: 'C', primaryKeyConstraintName: 'members_pk' })
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
}

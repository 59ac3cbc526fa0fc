import { Column, Entity, ForeignKey, PrimaryColumn } from 'typeorm';
import { WorkspaceEntity } from './workspace.entity.js';

/** The members are looked up each time the name is used, so a change of the group takes effect in all places. */
@Entity('groups')
@ForeignKey(() => WorkspaceEntity, ['workspaceId'], ['id'], { name: 'groups_workspace_fk' })
export class GroupEntity {
  @PrimaryColumn({ name: 'workspace_id', type: 'text', collation: 'C', primaryKeyConstraintName: 'groups_pk' })
  workspaceId: string;

  @PrimaryColumn({ type: 'text', collation: 'C', primaryKeyConstraintName: 'groups_pk' })
  name: string;

  @Column({ name: 'created_at', type: 'timestamptz', precision: 3, default: () => 'clock_timestamp()' })
  createdAt: Date;
}

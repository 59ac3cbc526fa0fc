import { Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';
import { GroupEntity } from './group.entity.js';
import { MemberEntity } from './member.entity.js';

@Entity('group_members')
@Index('group_members_member_ix', ['workspaceId', 'memberId'])
@ForeignKey(() => GroupEntity, ['workspaceId', 'groupName'], ['workspaceId', 'name'], {
  name: 'group_members_group_fk',
  onDelete: 'CASCADE',
})
@ForeignKey(() => MemberEntity, ['workspaceId', 'memberId'], ['workspaceId', 'id'], {
  name: 'group_members_member_fk',
  onDelete: 'CASCADE',
})
export class GroupMemberEntity {
  @PrimaryColumn({ name: 'workspace_id', type: 'text', collation: 'C', primaryKeyConstraintName: 'group_members_pk' })
  workspaceId: string;

  @PrimaryColumn({ name: 'group_name', type: 'text', collation: 'C', primaryKeyConstraintName: 'group_members_pk' })
  groupName: string;

  @PrimaryColumn({ name: 'member_id', type: 'text', collation: 'C', primaryKeyConstraintName: 'group_members_pk' })
  memberId: string;
}

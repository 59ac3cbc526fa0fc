import { Entity, PrimaryColumn } from 'typeorm';

@Entity('group_members')
export class GroupMemberEntity {
  @PrimaryColumn({ name: 'workspace_id', type: 'text', collation: 'C' })
  workspaceId: string;

  @PrimaryColumn({ name: 'group_name', type: 'text', collation: 'C' })
  groupName: string;

  @PrimaryColumn({ name: 'member_id', type: 'text', collation: 'C' })
  memberId: string;
}

import type { PageRequest } from '@app/kernel';
import { orUnavailable, type Statement, Statements, type Transaction } from '@app/platform/database';
import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { In, Repository } from 'typeorm';
import { GroupMemberEntity } from './group-member.entity.js';
import { GroupEntity } from './group.entity.js';
import { NamedRowsRepository } from './named-rows.repository.js';

const NAMES_OF_MEMBER: Statement = {
  name: 'workspace.groups_of_member',
  text: 'select group_name as name from group_members where workspace_id = $1 and member_id = $2 order by group_name',
};

const EMAILS_BY_GROUP: Statement = {
  name: 'workspace.emails_by_group',
  text: `select g.group_name as "group", m.email from group_members g
    join members m on m.workspace_id = g.workspace_id and m.id = g.member_id
    where g.workspace_id = $1 and g.group_name = any ($2) order by m.email`,
};

// The share lock keeps the groups until the transaction ends.
const ADD_MEMBER = `insert into group_members (workspace_id, group_name, member_id)
  select g.workspace_id, g.name, $2 from groups g
    where g.workspace_id = $1 and g.name = any ($3) order by g.name for key share
  returning group_name as name`;

@Injectable()
export class GroupRepository extends NamedRowsRepository<GroupEntity> {
  constructor(
    @InjectRepository(GroupEntity) table: Repository<GroupEntity>,
    private readonly statements: Statements,
  ) {
    super(table);
  }

  find(workspaceId: string, name: string): Promise<GroupEntity | null> {
    return orUnavailable(this.table.findOneBy({ workspaceId, name }));
  }

  async known(workspaceId: string, names: readonly string[]): Promise<ReadonlySet<string>> {
    const where = { workspaceId, name: In([...names]) };
    const found = await orUnavailable(this.table.find({ select: { name: true }, where }));
    return new Set(found.map((group) => group.name));
  }

  page(workspaceId: string, page: PageRequest): Promise<GroupEntity[]> {
    return this.pageOf(['workspaceId', 'name', 'createdAt'], workspaceId, page);
  }

  async namesOfMember(workspaceId: string, memberId: string): Promise<string[]> {
    const rows = await this.statements.query<{ name: string }>(NAMES_OF_MEMBER, [workspaceId, memberId]);
    return rows.map((row) => row.name);
  }

  /** Returns the sorted member addresses by group name. Groups without members are omitted. */
  async emailsByGroup(workspaceId: string, names: readonly string[]): Promise<ReadonlyMap<string, string[]>> {
    const emails = new Map<string, string[]>();
    if (names.length === 0) return emails;
    const rows = await this.statements.query<{ group: string; email: string }>(EMAILS_BY_GROUP, [workspaceId, names]);
    for (const { group, email } of rows) emails.set(group, [...(emails.get(group) ?? []), email]);
    return emails;
  }

  async insert(group: Pick<GroupEntity, 'workspaceId' | 'name'>, { manager }: Transaction): Promise<boolean> {
    const insertion = manager
      .createQueryBuilder()
      .insert()
      .into(GroupEntity)
      .values(group)
      .orIgnore()
      .returning('name');
    return ((await insertion.updateEntity(false).execute()).raw as unknown[]).length === 1;
  }

  /**
   * Locks the group until the transaction ends, so that concurrent replacements of its members run one after the other.
   */
  lock(workspaceId: string, name: string, { manager }: Transaction): Promise<GroupEntity | null> {
    const where = { workspaceId, name };
    return manager.findOne(GroupEntity, { where, lock: { mode: 'for_no_key_update' } });
  }

  /** The caller must hold the lock of the group, or have created the group in this transaction. */
  async replaceMembers(
    { workspaceId, name }: Pick<GroupEntity, 'workspaceId' | 'name'>,
    memberIds: readonly string[],
    { manager }: Transaction,
  ): Promise<void> {
    const groupName = name;
    await manager.delete(GroupMemberEntity, { workspaceId, groupName });
    await manager.insert(
      GroupMemberEntity,
      memberIds.map((memberId) => ({ workspaceId, groupName, memberId })),
    );
  }

  /** Returns those of `names` that are groups. The member is in none of them before. */
  async addMember(
    { workspaceId, id }: { workspaceId: string; id: string },
    names: readonly string[],
    { manager }: Transaction,
  ): Promise<ReadonlySet<string>> {
    const rows = await manager.query<{ name: string }[]>(ADD_MEMBER, [workspaceId, id, names]);
    return new Set(rows.map(({ name }) => name));
  }

  async delete(workspaceId: string, name: string, { manager }: Transaction): Promise<boolean> {
    return (await manager.delete(GroupEntity, { workspaceId, name })).affected === 1;
  }
}

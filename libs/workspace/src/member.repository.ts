import type { PageRequest } from '@app/kernel';
import { orUnavailable, type Transaction } from '@app/platform/database';
import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { In, LessThan, MoreThan, Repository } from 'typeorm';
import { ApiKeyEntity } from './api-key.entity.js';
import { KnownKeys } from './known-keys.js';
import { MemberEntity } from './member.entity.js';
import { type Role, ROLES } from './roles.js';

const ADMIT = `insert into members as m (id, workspace_id, email, role) values ($1, $2, $3, $4)
  on conflict on constraint members_email_uq do update
    set role = case when array_position($5::text[], excluded.role) > array_position($5::text[], m.role)
      then excluded.role else m.role end
  returning id`;

const FORGET_FORMER_KEYS = `delete from former_secrets f using api_keys k
  where f.owner_id = k.id and k.workspace_id = $1 and k.member_id = $2`;

@Injectable()
export class MemberRepository {
  constructor(
    @InjectRepository(MemberEntity) private readonly table: Repository<MemberEntity>,
    private readonly keys: KnownKeys,
  ) {}

  /** Locks the member until the transaction ends, so that it cannot be removed meanwhile. */
  findByEmail(workspaceId: string, email: string, { manager }: Transaction): Promise<MemberEntity | null> {
    return manager.findOne(MemberEntity, { where: { workspaceId, email }, lock: { mode: 'for_key_share' } });
  }

  /** E-mail addresses by id. */
  async emailsById(
    workspaceId: string,
    ids: readonly string[],
    transaction?: Transaction,
  ): Promise<ReadonlyMap<string, string>> {
    const table = transaction?.manager.withRepository(this.table) ?? this.table;
    const where = { workspaceId, id: In([...new Set(ids)]) };
    const found = ids.length === 0 ? [] : await orUnavailable(table.find({ where }));
    return new Map(found.map((member) => [member.id, member.email]));
  }

  /** Creates the member, or raises the role of the member with this address. Never lowers a role. Returns the id. */
  async admit(member: Omit<MemberEntity, 'createdAt'>, { manager }: Transaction): Promise<string> {
    const values = [member.id, member.workspaceId, member.email, member.role, ROLES];
    const [row] = await manager.query<[{ id: string }]>(ADMIT, values);
    return row.id;
  }
  find(workspaceId: string, id: string, transaction?: Transaction): Promise<MemberEntity | null> {
    const table = transaction?.manager.withRepository(this.table) ?? this.table;
    return orUnavailable(table.findOneBy({ workspaceId, id }));
  }

  /** Up to `limit + 1` members in keyset order of the id. */
  page(workspaceId: string, { limit, order, after }: PageRequest): Promise<MemberEntity[]> {
    const beyond = after === undefined ? {} : { id: order === 'asc' ? MoreThan(after) : LessThan(after) };
    return orUnavailable(this.table.find({ where: { workspaceId, ...beyond }, order: { id: order }, take: limit + 1 }));
  }

  /**
   * Returns the ids of the members with these addresses, and locks them so that none is removed before the transaction
   * ends.
   */
  async idsByEmail(
    workspaceId: string,
    emails: readonly string[],
    { manager }: Transaction,
  ): Promise<ReadonlyMap<string, string>> {
    const where = { workspaceId, email: In([...emails]) };
    const found = await manager.find(MemberEntity, { where, order: { id: 'asc' }, lock: { mode: 'for_key_share' } });
    return new Map(found.map((member) => [member.email, member.id]));
  }

  /** Addresses of up to `limit` admins, longest-standing first. */
  async adminEmails(workspaceId: string, limit: number): Promise<string[]> {
    const where = { workspaceId, role: 'admin' as const };
    const admins = await orUnavailable(this.table.find({ where, order: { id: 'asc' }, take: limit }));
    return admins.map((admin) => admin.email);
  }

  /** Returns false if a member already has the address. */
  async insert(member: Omit<MemberEntity, 'createdAt'>, { manager }: Transaction): Promise<boolean> {
    const insertion = manager
      .createQueryBuilder()
      .insert()
      .into(MemberEntity)
      .values(member)
      .orIgnore()
      .returning('id');
    return ((await insertion.updateEntity(false).execute()).raw as unknown[]).length === 1;
  }

  /**
   * Locks the admins in the order of their ids. Concurrent demotions and removals wait for each other, and each sees
   * the admins that are left.
   */
  async lockAdmins(workspaceId: string, { manager }: Transaction): Promise<string[]> {
    const where = { workspaceId, role: 'admin' as const };
    const admins = await manager.find(MemberEntity, {
      where,
      order: { id: 'asc' },
      lock: { mode: 'for_no_key_update' },
    });
    return admins.map((admin) => admin.id);
  }

  /** Returns false if there is no such member. */
  async setRole(workspaceId: string, id: string, role: Role, transaction: Transaction): Promise<boolean> {
    transaction.afterCommit(() => this.keys.forget());
    return (await transaction.manager.update(MemberEntity, { workspaceId, id }, { role })).affected === 1;
  }

  /** Deletes the member, its keys and its group memberships. Returns false if there is no such member. */
  async delete(workspaceId: string, id: string, transaction: Transaction): Promise<boolean> {
    transaction.afterCommit(() => this.keys.forget());
    await transaction.manager.query(FORGET_FORMER_KEYS, [workspaceId, id]);
    await transaction.manager.delete(ApiKeyEntity, { workspaceId, memberId: id });
    return (await transaction.manager.delete(MemberEntity, { workspaceId, id })).affected === 1;
  }
}

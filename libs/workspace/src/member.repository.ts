import type { Page, PageRequest } from '@app/kernel';
import { findPage, orUnavailable, type Transaction } from '@app/platform/database';
import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { In, Repository } from 'typeorm';
import { ApiKeyEntity } from './api-key.entity.js';
import { ApiKeyCacheService } from './api-key-cache.service.js';
import { MemberEntity } from './member.entity.js';
import { type Role, ROLES } from './roles.js';

export type NewMember = Omit<MemberEntity, 'createdAt' | 'lastUsedAt' | 'lastSignedInAt'>;

export interface MemberOfWorkspace {
  workspaceId: string;
  workspaceName: string;
  memberId: string;
  email: string;
}

const ACROSS_WORKSPACES = `select m.workspace_id as "workspaceId", w.name as "workspaceName", m.id as "memberId", m.email
  from members m join workspaces w on w.id = m.workspace_id`;

const OF_ADDRESS = `${ACROSS_WORKSPACES} where m.email = $1 order by w.id`;
const LAST_USED = `${ACROSS_WORKSPACES} where m.email = $1 order by m.last_used_at desc nulls last, w.id limit 1`;
const FIRST_ADMIN = `${ACROSS_WORKSPACES} where m.role = 'admin' order by w.id, m.id limit 1`;

const ADMIT = `insert into members as m (id, workspace_id, email, role) values ($1, $2, $3, $4)
  on conflict on constraint members_email_uq do update
    set role = case when array_position($5::text[], excluded.role) > array_position($5::text[], m.role)
      then excluded.role else m.role end
  returning id`;

const DELETE_FORMER_SECRETS = `delete from former_secrets f using api_keys k
  where f.owner_id = k.id and k.workspace_id = $1 and k.member_id = $2`;

const END_SESSIONS = 'delete from sessions where workspace_id = $1 and member_id = $2 returning id';

// Must precede the change of the role.
const END_CLIENTS = `update api_keys k set revoked_at = clock_timestamp() from members m
  where m.workspace_id = $1 and m.id = $2 and k.workspace_id = m.workspace_id and k.member_id = m.id
    and k.kind = 'mcp' and k.revoked_at is null
    and array_position($4::text[], $3) < array_position($4::text[], m.role)`;

@Injectable()
export class MemberRepository {
  constructor(
    @InjectRepository(MemberEntity) private readonly table: Repository<MemberEntity>,
    private readonly keys: ApiKeyCacheService,
  ) {}

  /**
   * Returns the member with this address. Locks the member, so that it cannot be removed before the transaction ends.
   */
  findByEmail(workspaceId: string, email: string, { manager }: Transaction): Promise<MemberEntity | null> {
    return manager.findOne(MemberEntity, { where: { workspaceId, email }, lock: { mode: 'for_key_share' } });
  }

  async findByIds(
    workspaceId: string,
    ids: readonly string[],
    transaction?: Transaction,
  ): Promise<ReadonlyMap<string, MemberEntity>> {
    const table = transaction?.manager.withRepository(this.table) ?? this.table;
    const where = { workspaceId, id: In([...new Set(ids)]) };
    const found = ids.length === 0 ? [] : await orUnavailable(table.find({ where }));
    return new Map(found.map((member) => [member.id, member]));
  }

  /** Creates a member, or raises the role of the existing member with this address. Never lowers a role. */
  async admit(member: NewMember, { manager }: Transaction): Promise<string> {
    const values = [member.id, member.workspaceId, member.email, member.role, ROLES];
    const [row] = await manager.query<[{ id: string }]>(ADMIT, values);
    return row.id;
  }

  /** Returns the members with this address in all workspaces, oldest workspace first, for sign-in. */
  findByPerson(email: string): Promise<MemberOfWorkspace[]> {
    return this.readAcross(OF_ADDRESS, [email]);
  }

  /**
   * Returns the member with this address that was used most recently. If no member with this address was ever used,
   * returns the member in the oldest workspace. Reads across workspaces, for sign-in.
   */
  async findLastUsed(email: string): Promise<MemberOfWorkspace | undefined> {
    return (await this.readAcross(LAST_USED, [email]))[0];
  }

  /** Reads across workspaces, for the operator commands. */
  async findFirstAdmin(): Promise<MemberOfWorkspace | undefined> {
    return (await this.readAcross(FIRST_ADMIN, []))[0];
  }

  find(workspaceId: string, id: string, transaction?: Transaction): Promise<MemberEntity | null> {
    const table = transaction?.manager.withRepository(this.table) ?? this.table;
    return orUnavailable(table.findOneBy({ workspaceId, id }));
  }

  page(workspaceId: string, page: PageRequest): Promise<Page<MemberEntity>> {
    return findPage(this.table, { workspaceId }, page);
  }

  async idsByEmail(
    workspaceId: string,
    emails: readonly string[],
    { manager }: Transaction,
  ): Promise<ReadonlyMap<string, string>> {
    const where = { workspaceId, email: In([...emails]) };
    const found = await manager.find(MemberEntity, { where, order: { id: 'asc' }, lock: { mode: 'for_key_share' } });
    return new Map(found.map((member) => [member.email, member.id]));
  }

  async adminEmails(workspaceId: string, limit: number): Promise<string[]> {
    const where = { workspaceId, role: 'admin' as const };
    const admins = await orUnavailable(this.table.find({ where, order: { id: 'asc' }, take: limit }));
    return admins.map((admin) => admin.email);
  }

  async insert(member: NewMember, { manager }: Transaction): Promise<boolean> {
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
   * Locks all admins in the order of their ids, and returns the ids. A concurrent demotion or removal of an admin
   * therefore waits, and then sees which admins remain.
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

  /** A weaker role ends the access of the member's MCP clients. */
  async setRole(workspaceId: string, id: string, role: Role, transaction: Transaction): Promise<boolean> {
    transaction.afterCommit(() => this.keys.invalidateAll());
    await transaction.manager.query(END_CLIENTS, [workspaceId, id, role, ROLES]);
    return (await transaction.manager.update(MemberEntity, { workspaceId, id }, { role })).affected === 1;
  }

  async endSessions(workspaceId: string, id: string, transaction: Transaction): Promise<string[]> {
    transaction.afterCommit(() => this.keys.invalidateAll());
    const [ended] = await transaction.manager.query<[{ id: string }[], number]>(END_SESSIONS, [workspaceId, id]);
    return ended.map((session) => session.id);
  }

  async delete(workspaceId: string, id: string, transaction: Transaction): Promise<boolean> {
    transaction.afterCommit(() => this.keys.invalidateAll());
    await transaction.manager.query(DELETE_FORMER_SECRETS, [workspaceId, id]);
    await transaction.manager.delete(ApiKeyEntity, { workspaceId, memberId: id });
    return (await transaction.manager.delete(MemberEntity, { workspaceId, id })).affected === 1;
  }

  private readAcross(query: string, values: readonly unknown[]): Promise<MemberOfWorkspace[]> {
    return orUnavailable(this.table.query<MemberOfWorkspace[]>(query, [...values]));
  }
}

import type { Transaction } from '@app/platform/database';
import { Injectable } from '@nestjs/common';
import type { MemberOfWorkspace } from '../member.repository.js';
import type { Role } from '../roles.js';
import { SpentSignInEntity } from './spent-sign-in.entity.js';

export interface OidcMember extends MemberOfWorkspace {
  role: Role;
}

interface PersonAtProvider {
  issuer: string;
  subject: string;
}

const MEMBER = `select m.workspace_id as "workspaceId", w.name as "workspaceName", m.id as "memberId", m.email, m.role
  from members m join workspaces w on w.id = m.workspace_id`;
const NOT_OF_ANOTHER = `not exists (select from member_identities o
  where o.workspace_id = m.workspace_id and o.member_id = m.id and o.issuer = $1 and o.subject <> $2)`;

// Selects members in all workspaces: those that are bound to the person, and those with the same address as a bound
// member. These are the members to which a session of the person can switch.
const BOUND = `where m.email in (
    select b.email from member_identities i
      join members b on b.workspace_id = i.workspace_id and b.id = i.member_id
      where i.issuer = $1 and i.subject = $2) and ${NOT_OF_ANOTHER}`;

const FIND_WORKSPACES = `select distinct m.workspace_id as id from members m ${BOUND} order by m.workspace_id`;

const LOCK_BOUND = `${MEMBER} ${BOUND} order by w.id, m.id for no key update of m`;

const FIND_LAST_USED = `select m.id from members m ${BOUND}
  order by m.last_used_at desc nulls last, m.workspace_id limit 1`;

const FIND_UNBOUND = `${MEMBER} where m.email = $3 and ${NOT_OF_ANOTHER}
  order by m.last_used_at desc nulls last, w.id limit 1 for key share of m`;

const BIND = `insert into member_identities (workspace_id, member_id, issuer, subject) values ($1, $2, $3, $4)
  on conflict do nothing`;

const FIND_ONLY_WORKSPACE = 'select id from workspaces order by id limit 2';

const LEAVE_GROUPS = `delete from group_members
  where workspace_id = $1 and member_id = $2 and group_name <> all ($3::text[]) returning group_name`;
const JOIN_GROUPS = `insert into group_members (workspace_id, group_name, member_id)
  select g.workspace_id, g.name, $2 from groups g where g.workspace_id = $1 and g.name = any ($3::text[])
  on conflict do nothing returning group_name`;

const PURGE_SPENT = 'delete from spent_sign_ins where expires_at <= clock_timestamp()';

@Injectable()
export class MemberIdentityRepository {
  async workspacesOf({ issuer, subject }: PersonAtProvider, { manager }: Transaction): Promise<string[]> {
    const workspaces = await manager.query<{ id: string }[]>(FIND_WORKSPACES, [issuer, subject]);
    return workspaces.map(({ id }) => id);
  }

  /** The first is the member that was used last, or if none was ever used, the one in the oldest workspace. */
  async lockBound({ issuer, subject }: PersonAtProvider, { manager }: Transaction): Promise<OidcMember[]> {
    const members = await manager.query<OidcMember[]>(LOCK_BOUND, [issuer, subject]);
    const [last] = await manager.query<{ id: string }[]>(FIND_LAST_USED, [issuer, subject]);
    return members.sort((a, b) => Number(b.memberId === last?.id) - Number(a.memberId === last?.id));
  }

  /** Returns the member with the address, unless it is bound to another person of the provider. */
  async findUnbound(
    { issuer, subject }: PersonAtProvider,
    email: string,
    { manager }: Transaction,
  ): Promise<OidcMember | undefined> {
    return (await manager.query<OidcMember[]>(FIND_UNBOUND, [issuer, subject, email]))[0];
  }

  async bind(
    { workspaceId, memberId }: OidcMember,
    { issuer, subject }: PersonAtProvider,
    { manager }: Transaction,
  ): Promise<void> {
    await manager.query(BIND, [workspaceId, memberId, issuer, subject]);
  }

  async onlyWorkspace({ manager }: Transaction): Promise<string | undefined> {
    const [only, second] = await manager.query<{ id: string }[]>(FIND_ONLY_WORKSPACE);
    return second ? undefined : only?.id;
  }

  async setGroups(
    { workspaceId, memberId }: OidcMember,
    groups: readonly string[],
    { manager }: Transaction,
  ): Promise<boolean> {
    const values = [workspaceId, memberId, groups];
    const [left] = await manager.query<[unknown[], number]>(LEAVE_GROUPS, values);
    const joined = await manager.query<unknown[]>(JOIN_GROUPS, values);
    return left.length + joined.length > 0;
  }

  async spend(hash: Buffer, expiresAt: Date, { manager }: Transaction): Promise<boolean> {
    await manager.query(PURGE_SPENT);
    const insertion = manager.createQueryBuilder().insert().into(SpentSignInEntity).values({ hash, expiresAt });
    return ((await insertion.orIgnore().returning('hash').updateEntity(false).execute()).raw as unknown[]).length === 1;
  }
}

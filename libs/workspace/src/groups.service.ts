import { DomainError, type ErrorPlace, invariant, notFound, type Page, type PageRequest, toPage } from '@app/kernel';
import { SnapshotsService, type Transaction, Transactions } from '@app/platform/database';
import { Injectable } from '@nestjs/common';
import { AuditLogService } from './audit-log.service.js';
import { parseEmailAddress, unknownMember } from './email-address.js';
import type { GroupEntity } from './group.entity.js';
import { GroupRepository } from './group.repository.js';
import { type IdempotencyClaim, IdempotencyStore, type OnceOnly } from './idempotency.store.js';
import { MemberRepository } from './member.repository.js';
import { listKeyOf } from './named-rows.repository.js';
import type { Principal } from './principal.js';

export interface GroupWithMembers {
  name: string;
  members: readonly string[];
  createdAt: Date;
}

@Injectable()
export class GroupsService {
  constructor(
    private readonly transactions: Transactions,
    private readonly requests: IdempotencyStore,
    private readonly groups: GroupRepository,
    private readonly members: MemberRepository,
    private readonly audit: AuditLogService,
    private readonly snapshots: SnapshotsService,
  ) {}

  async list(workspaceId: string, page: PageRequest): Promise<Page<GroupWithMembers>> {
    const rows = await this.groups.page(workspaceId, page);
    const { data, last } = toPage(
      rows.map((group) => ({ id: listKeyOf(group), group })),
      page.limit,
    );
    const emails = await this.groups.emailsByGroup(
      workspaceId,
      data.map(({ group }) => group.name),
    );
    const groups = data.map(({ group }) => withMembers(group, emails));
    return last === undefined ? { data: groups } : { data: groups, last };
  }

  /** @throws DomainError `not_found` */
  get(workspaceId: string, name: string): Promise<GroupWithMembers> {
    return this.snapshots.read(async () => {
      const group = await this.groups.find(workspaceId, name);
      if (!group) throw notFound('group', name);
      return withMembers(group, await this.groups.emailsByGroup(workspaceId, [name]));
    });
  }

  ofMember(workspaceId: string, memberId: string): Promise<string[]> {
    return this.groups.namesOfMember(workspaceId, memberId);
  }

  async missing(workspaceId: string, names: readonly string[]): Promise<ReadonlySet<string>> {
    if (names.length === 0) return new Set();
    const known = await this.groups.known(workspaceId, names);
    return new Set(names.filter((name) => !known.has(name)));
  }

  /**
   * @throws DomainError `name_taken`, `unknown_reference` (an address without a member), and the errors of {@link
   * IdempotencyStore.runOnce}
   */
  async create(
    actor: Principal,
    name: string,
    emails: readonly string[],
    claim?: IdempotencyClaim,
  ): Promise<OnceOnly<GroupWithMembers>> {
    const { workspaceId } = actor;
    return this.requests.runOnce(workspaceId, claim, async (transaction) => {
      const memberIds = await this.memberIds(workspaceId, emails, transaction);
      if (!(await this.groups.insert({ workspaceId, name }, transaction))) throw nameTaken(name);
      await this.groups.replaceMembers({ workspaceId, name }, memberIds, transaction);
      await this.audit.record(
        actor,
        { action: 'group.create', target: name, detail: { members: [...emails] } },
        transaction,
      );
      const group = await this.groups.lock(workspaceId, name, transaction);
      invariant(group, 'a group that was inserted can be read');
      const members = await this.members.findByIds(workspaceId, memberIds, transaction);
      const addresses = [...members.values()].map(({ email }) => email);
      return { name, createdAt: group.createdAt, members: addresses.sort() };
    });
  }

  async replaceMembers(actor: Principal, name: string, emails: readonly string[]): Promise<GroupWithMembers> {
    const { workspaceId } = actor;
    const { members: before } = await this.get(workspaceId, name);
    await this.transactions.run(async (transaction) => {
      if (!(await this.groups.lock(workspaceId, name, transaction))) throw notFound('group', name);
      const memberIds = await this.memberIds(workspaceId, emails, transaction);
      await this.groups.replaceMembers({ workspaceId, name }, memberIds, transaction);
      await this.audit.record(
        actor,
        { action: 'group.update', target: name, detail: { members: [...emails], before: [...before] } },
        transaction,
      );
    });
    return this.get(workspaceId, name);
  }

  /**
   * Definitions and grants that still name the group then apply to no member. An approval that only members of the
   * group could decide can no longer be decided, so it expires.
   * @throws DomainError `not_found`
   */
  async delete(actor: Principal, name: string): Promise<void> {
    await this.transactions.run(async (transaction) => {
      if (!(await this.groups.delete(actor.workspaceId, name, transaction))) throw notFound('group', name);
      await this.audit.record(actor, { action: 'group.delete', target: name, detail: {} }, transaction);
    });
  }

  private async memberIds(
    workspaceId: string,
    given: readonly string[],
    transaction: Transaction,
  ): Promise<readonly string[]> {
    const addresses = given.map((text) => parseEmailAddress(text) ?? '');
    const known = await this.members.idsByEmail(workspaceId, addresses, transaction);
    const unknown = given.flatMap<ErrorPlace>((text, index) =>
      known.has(addresses[index] ?? '') ? [] : [{ pointer: `/members/${index}`, detail: unknownMember(text) }],
    );
    if (unknown.length > 0) {
      throw new DomainError('unknown_reference', unknown[0]?.detail ?? '', { errors: unknown });
    }
    return [...new Set(known.values())];
  }
}

function withMembers({ name, createdAt }: GroupEntity, emails: ReadonlyMap<string, string[]>): GroupWithMembers {
  return { name, createdAt, members: emails.get(name) ?? [] };
}

function nameTaken(name: string): DomainError {
  const detail = `A group with the name ${JSON.stringify(name)} already exists.`;
  return new DomainError('name_taken', detail, { errors: [{ pointer: '/name', detail }] });
}

import { DomainError, invariant, isId, newId, notFound, type Page, type PageRequest } from '@app/kernel';
import { type Transaction, Transactions } from '@app/platform/database';
import { Injectable } from '@nestjs/common';
import { AuditLogService } from './audit-log.service.js';
import { parseEmailAddress } from './email-address.js';
import { GroupRepository } from './group.repository.js';
import { type IdempotencyClaim, IdempotencyStore, type OnceOnly } from './idempotency.store.js';
import type { MemberEntity } from './member.entity.js';
import { MemberRepository } from './member.repository.js';
import type { Principal } from './principal.js';
import type { Role } from './roles.js';

const MAX_ADDRESSEES = 50;

@Injectable()
export class MembersService {
  constructor(
    private readonly transactions: Transactions,
    private readonly requests: IdempotencyStore,
    private readonly members: MemberRepository,
    private readonly groups: GroupRepository,
    private readonly audit: AuditLogService,
  ) {}

  async list(workspaceId: string, page: PageRequest): Promise<Page<MemberEntity>> {
    return this.members.page(workspaceId, page);
  }

  async adminEmails(workspaceId: string): Promise<string[]> {
    return this.members.adminEmails(workspaceId, MAX_ADDRESSEES);
  }

  /** @throws DomainError `not_found`, also for a member of another workspace */
  async get(workspaceId: string, memberId: string): Promise<MemberEntity> {
    const member = isId('member', memberId) ? await this.members.find(workspaceId, memberId) : null;
    if (!member) throw notFound('member', memberId);
    return member;
  }

  /**
   * @throws DomainError `invalid_request` (the address), `name_taken` (a member already has the address),
   * `unknown_reference` (a group does not exist), and the errors of {@link IdempotencyStore.runOnce}
   */
  async create(
    actor: Principal,
    { address, role, groups }: { address: string; role: Role; groups: readonly string[] },
    claim?: IdempotencyClaim,
  ): Promise<OnceOnly<MemberEntity>> {
    const email = parseEmailAddress(address);
    if (email === undefined) throw refusal('invalid_request', `${JSON.stringify(address)} is not an e-mail address.`);
    const { workspaceId } = actor;
    return this.requests.runOnce(workspaceId, claim, async (transaction) => {
      const id = newId('member');
      const isNew = await this.members.insert({ id, workspaceId, email, role }, transaction);
      if (!isNew) throw refusal('name_taken', `${email} is already a member of the workspace.`);
      await this.join({ workspaceId, id }, groups, transaction);
      const detail = { email, role, ...(groups.length > 0 && { groups: [...new Set(groups)] }) };
      await this.audit.record(actor, { action: 'member.create', target: id, detail }, transaction);
      const member = await this.members.find(workspaceId, id, transaction);
      invariant(member, 'a member that was inserted can be read');
      return member;
    });
  }

  /**
   * The new role limits the API keys of the member in this process at once, and in other processes within 10 seconds.
   * @throws DomainError `not_found`, `last_admin`
   */
  async changeRole(actor: Principal, memberId: string, role: Role): Promise<MemberEntity> {
    const { workspaceId } = actor;
    const { email, role: before } = await this.get(workspaceId, memberId);
    await this.transactions.run(async (transaction) => {
      if (role !== 'admin') await this.assertAnotherAdmin(workspaceId, memberId, transaction);
      if (!(await this.members.setRole(workspaceId, memberId, role, transaction))) throw notFound('member', memberId);
      if (role !== before) await this.endSessions({ workspaceId, memberId, email }, transaction);
      const detail = { email, role, before };
      await this.audit.record(actor, { action: 'member.update', target: memberId, detail }, transaction);
    });
    return this.get(workspaceId, memberId);
  }

  /**
   * Records of the member's earlier actions still contain its e-mail address.
   * @throws DomainError `not_found`, `last_admin`
   */
  async remove(actor: Principal, memberId: string): Promise<void> {
    const { workspaceId } = actor;
    const { email, role } = await this.get(workspaceId, memberId);
    await this.transactions.run(async (transaction) => {
      await this.assertAnotherAdmin(workspaceId, memberId, transaction);
      await this.endSessions({ workspaceId, memberId, email }, transaction);
      if (!(await this.members.delete(workspaceId, memberId, transaction))) throw notFound('member', memberId);
      await this.audit.record(
        actor,
        { action: 'member.delete', target: memberId, detail: { email, role } },
        transaction,
      );
    });
  }

  private async join(
    member: Pick<MemberEntity, 'workspaceId' | 'id'>,
    names: readonly string[],
    transaction: Transaction,
  ): Promise<void> {
    if (names.length === 0) return;
    const joined = await this.groups.addMember(member, names, transaction);
    const errors = names.flatMap((name, index) =>
      joined.has(name) ? [] : { pointer: `/groups/${index}`, detail: `There is no group ${JSON.stringify(name)}.` },
    );
    if (errors.length > 0) throw new DomainError('unknown_reference', errors[0]?.detail ?? '', { errors });
  }

  private async endSessions(
    { memberId, ...owner }: { workspaceId: string; memberId: string; email: string },
    transaction: Transaction,
  ): Promise<void> {
    for (const target of await this.members.endSessions(owner.workspaceId, memberId, transaction)) {
      await this.audit.record(owner, { action: 'session.ended', target, detail: {} }, transaction);
    }
  }

  /** If two admins demote each other concurrently, one of the two requests is rejected. */
  private async assertAnotherAdmin(workspaceId: string, memberId: string, transaction: Transaction): Promise<void> {
    const admins = await this.members.lockAdmins(workspaceId, transaction);
    if (admins.length !== 1 || admins[0] !== memberId) return;
    throw new DomainError('last_admin', 'This is the only admin of the workspace. Make another member an admin first.');
  }
}

function refusal(code: 'invalid_request' | 'name_taken', detail: string): DomainError {
  return new DomainError(code, detail, { errors: [{ pointer: '/email', detail }] });
}

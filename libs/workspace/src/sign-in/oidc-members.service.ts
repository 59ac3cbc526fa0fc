import { newId } from '@app/kernel';
import type { Transaction } from '@app/platform/database';
import { Inject, Injectable } from '@nestjs/common';
import { AuditLogService } from '../audit-log.service.js';
import { parseEmailAddress } from '../email-address.js';
import { MemberRepository } from '../member.repository.js';
import { type Role, ROLES } from '../roles.js';
import { MemberIdentityRepository, type OidcMember } from './member-identity.repository.js';
import type { OidcPerson } from './oidc-provider.client.js';
import type { RefusedMember } from './refused-sign-ins.service.js';
import { type SignInConfig, signInConfig } from './sign-in.config.js';

@Injectable()
export class OidcMembersService {
  constructor(
    private readonly identities: MemberIdentityRepository,
    private readonly members: MemberRepository,
    private readonly audit: AuditLogService,
    @Inject(signInConfig.KEY) private readonly config: SignInConfig,
  ) {}

  /**
   * At the first sign-in, the verified e-mail address binds the person to a member. At later sign-ins, only the
   * identifier of the person counts, even if the address has changed. Returns undefined if the person is not a member
   * and must not become one.
   */
  async admit(person: OidcPerson, transaction: Transaction): Promise<OidcMember | undefined> {
    let members = await this.lockMembers(person, transaction);
    if (members.length === 0) {
      const first = await this.firstMember(person, transaction);
      if (!first) return undefined;
      await this.identities.bind(first, person, transaction);
      members = await this.lockMembers(person, transaction);
    }
    for (const member of members) {
      await this.identities.bind(member, person, transaction);
      if (person.groups) await this.applyGroups(member, person.groups, transaction);
    }
    return members[0];
  }

  /** Returns the member with the address that the provider reports, whether or not the address is verified. */
  async findByClaim({ claimedEmail }: OidcPerson): Promise<RefusedMember | undefined> {
    const email = claimedEmail === undefined ? undefined : parseEmailAddress(claimedEmail);
    return email === undefined ? undefined : this.members.findLastUsed(email);
  }

  /** Locks the admins before the members, in the same order as a change of a member, so that no deadlock occurs. */
  private async lockMembers(person: OidcPerson, transaction: Transaction): Promise<OidcMember[]> {
    for (const workspaceId of await this.identities.workspacesOf(person, transaction)) {
      await this.members.lockAdmins(workspaceId, transaction);
    }
    return this.identities.lockBound(person, transaction);
  }

  private async firstMember(person: OidcPerson, transaction: Transaction): Promise<OidcMember | undefined> {
    const email = person.email === undefined ? undefined : parseEmailAddress(person.email);
    if (email === undefined) return undefined;
    const invited = await this.identities.findUnbound(person, email, transaction);
    return invited ?? this.addMember(person, email, transaction);
  }

  private async addMember(
    person: OidcPerson,
    email: string,
    transaction: Transaction,
  ): Promise<OidcMember | undefined> {
    const { domain, workspace } = this.config.oidc ?? {};
    if (domain === undefined || email.slice(email.lastIndexOf('@') + 1) !== domain) return undefined;
    const workspaceId = workspace ?? (await this.identities.onlyWorkspace(transaction));
    if (workspaceId === undefined) return undefined;
    const member = { id: newId('member'), workspaceId, email, role: 'viewer' as const };
    if (!(await this.members.insert(member, transaction))) return undefined;
    const detail = { email, role: member.role };
    await this.audit.record(member, { action: 'member.create', target: member.id, detail }, transaction);
    return this.identities.findUnbound(person, email, transaction);
  }

  private async applyGroups(member: OidcMember, groups: readonly string[], transaction: Transaction): Promise<void> {
    const { workspaceId, memberId, email, role: before } = member;
    const hasNewGroups = await this.identities.setGroups(member, groups, transaction);
    const role = await this.allowedRole(member, this.roleOf(groups), transaction);
    if (role !== before) {
      await this.members.setRole(workspaceId, memberId, role, transaction);
      for (const target of await this.members.endSessions(workspaceId, memberId, transaction)) {
        await this.audit.record(member, { action: 'session.ended', target, detail: {} }, transaction);
      }
    }
    if (!hasNewGroups && role === before) return;
    const detail = { email, role, before, groups: [...groups] };
    await this.audit.record(member, { action: 'member.update', target: memberId, detail }, transaction);
  }

  private roleOf(groups: readonly string[]): Role {
    const roles = groups.flatMap((group) => this.config.oidc?.roles.get(group) ?? []);
    return ROLES.findLast((role) => roles.includes(role)) ?? 'viewer';
  }

  /** Returns `role`, or `admin` if the member is the last admin of the workspace. */
  private async allowedRole(
    { workspaceId, memberId, role: before }: OidcMember,
    role: Role,
    transaction: Transaction,
  ): Promise<Role> {
    if (before !== 'admin' || role === 'admin') return role;
    const admins = await this.members.lockAdmins(workspaceId, transaction);
    return admins.some((id) => id !== memberId) ? role : 'admin';
  }
}

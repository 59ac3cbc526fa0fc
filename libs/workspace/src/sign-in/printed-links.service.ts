import { Clock, DomainError } from '@app/kernel';
import { Transactions } from '@app/platform/database';
import { Injectable } from '@nestjs/common';
import { parseEmailAddress } from '../email-address.js';
import { type MemberOfWorkspace, MemberRepository } from '../member.repository.js';
import { SignInTokenRepository } from './sign-in-token.repository.js';
import { newToken } from './token.js';

export const LINK_MILLIS = 15 * 60_000;

export interface PrintedLink {
  workspaceId: string;
  workspaceName: string;
  email: string;
  token: string;
}

/** No API route calls this service. */
@Injectable()
export class PrintedLinksService {
  constructor(
    private readonly transactions: Transactions,
    private readonly members: MemberRepository,
    private readonly tokens: SignInTokenRepository,
    private readonly clock: Clock,
  ) {}

  /** Creates a link for the oldest admin of the oldest workspace. */
  async createForFirstAdmin(): Promise<PrintedLink | undefined> {
    const admin = await this.members.findFirstAdmin();
    return admin && this.create(admin);
  }

  /**
   * It is required if several workspaces have a member with this address.
   * @throws DomainError `invalid_request` if there is no such member, or if there are several
   */
  async createFor(address: string, workspace?: string): Promise<PrintedLink> {
    const email = parseEmailAddress(address);
    const all = email === undefined ? [] : await this.members.findByPerson(email);
    const matching = all.filter((each) => workspace === undefined || isOf(each, workspace));
    const [member, second] = matching;
    if (member && !second) return this.create(member);
    if (!member) throw refusal('/email', `There is no member ${JSON.stringify(address)}${inWorkspace(workspace)}.`);
    const known = matching.map((each) => `${each.workspaceId} (${each.workspaceName})`);
    throw refusal(
      '/workspace',
      `${address} is a member of several workspaces. Give the id of one: ${known.join(', ')}.`,
    );
  }

  private async create({ workspaceId, workspaceName, memberId, email }: MemberOfWorkspace): Promise<PrintedLink> {
    const { token, hash } = newToken();
    const expiresAt = new Date(this.clock.now().getTime() + LINK_MILLIS);
    await this.transactions.run((transaction) =>
      this.tokens.insert({ hash, kind: 'link', workspaceId, memberId, expiresAt }, transaction),
    );
    return { workspaceId, workspaceName, email, token };
  }
}

function isOf({ workspaceId, workspaceName }: MemberOfWorkspace, idOrName: string): boolean {
  return workspaceId === idOrName || workspaceName === idOrName;
}

function inWorkspace(workspace: string | undefined): string {
  return workspace === undefined ? '' : ` in the workspace ${JSON.stringify(workspace)}`;
}

function refusal(pointer: string, detail: string): DomainError {
  return new DomainError('invalid_request', detail, { errors: [{ pointer, detail }] });
}

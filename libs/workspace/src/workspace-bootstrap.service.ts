import { DomainError, newId } from '@app/kernel';
import type { ApiKeyKind } from '@app/platform/crypto';
import { type Transaction, Transactions } from '@app/platform/database';
import { Injectable } from '@nestjs/common';
import { mintApiKey } from './api-key-minting.js';
import { ApiKeyRepository } from './api-key.repository.js';
import { parseEmailAddress } from './email-address.js';
import { MemberRepository } from './member.repository.js';
import type { Role } from './roles.js';
import type { WorkspaceEntity } from './workspace.entity.js';
import { WorkspaceStore } from './workspace.store.js';

export interface BootstrapKey {
  role: Role;
  email: string;
  kind: ApiKeyKind;
  name: string;
  /** Required only if the installation has several workspaces. */
  workspace?: string;
}

/** It is not stored and cannot be retrieved later. */
export interface BootstrapResult {
  workspaceId: string;
  workspaceName: string;
  memberId: string;
  key: string;
}

type NamedWorkspace = Pick<WorkspaceEntity, 'id' | 'name'>;

const MAX_NAMED = 20;
const FIRST_WORKSPACE = 'default';
const MAX_NAME = 200;

/** No API route calls them. */
@Injectable()
export class WorkspaceBootstrapService {
  constructor(
    private readonly transactions: Transactions,
    private readonly workspaces: WorkspaceStore,
    private readonly members: MemberRepository,
    private readonly keys: ApiKeyRepository,
  ) {}

  async createWorkspace(wanted: { name: string; adminEmail: string }): Promise<BootstrapResult> {
    const name = checkedName(wanted.name);
    const email = checkedEmail(wanted.adminEmail, '/admin_email');
    return this.transactions.run(async (transaction) => {
      const workspace = await this.addWorkspace(name, transaction);
      return this.addKey(workspace, { role: 'admin', email, kind: 'live', name: 'first admin key' }, transaction);
    });
  }

  listWorkspaces(): Promise<WorkspaceEntity[]> {
    return this.transactions.run((transaction) => this.workspaces.all(transaction));
  }

  /**
   * Creates the member if the address is new. If the role of the member is weaker than the role of the key, raises the
   * role of the member. If the installation has no workspace, the request for an admin key also creates the first
   * workspace.
   * @throws DomainError `invalid_request` for an invalid address or name, or if the workspace is unknown or ambiguous
   */
  async createKey(wanted: BootstrapKey): Promise<BootstrapResult> {
    const key = { ...wanted, name: checkedName(wanted.name), email: checkedEmail(wanted.email, '/email') };
    return this.transactions.run(async (transaction) => {
      await this.workspaces.lockInstallation(transaction);
      return this.addKey(await this.chooseWorkspace(wanted, transaction), key, transaction);
    });
  }

  private async chooseWorkspace({ workspace, role }: BootstrapKey, transaction: Transaction): Promise<NamedWorkspace> {
    const [found, second] = await this.workspaces.findSome(workspace, transaction);
    if (found && !second) return found;
    if (found || workspace !== undefined)
      throw notTheOne(workspace, Boolean(found), await this.workspaces.all(transaction));
    if (role !== 'admin') throw refusal('/role', 'There is no workspace yet. The first key must be an admin key.');
    return this.addWorkspace(FIRST_WORKSPACE, transaction);
  }

  private async addWorkspace(name: string, transaction: Transaction): Promise<NamedWorkspace> {
    const workspace = { id: newId('workspace'), name };
    await this.workspaces.insert(workspace, transaction);
    return workspace;
  }

  private async addKey(
    { id: workspaceId, name: workspaceName }: NamedWorkspace,
    wanted: BootstrapKey,
    transaction: Transaction,
  ): Promise<BootstrapResult> {
    const { role, email, kind, name } = wanted;
    const memberId = await this.members.admit({ id: newId('member'), workspaceId, email, role }, transaction);
    const unlimited = { scopes: null, agents: null, isAutomation: false, expiresAt: null };
    const minted = mintApiKey({ id: memberId, workspaceId }, { name, kind, role, ...unlimited });
    await this.keys.insert(minted.record, transaction);
    return { workspaceId, workspaceName, memberId, key: minted.key };
  }
}

function notTheOne(wanted: string | undefined, isKnown: boolean, all: readonly WorkspaceEntity[]): DomainError {
  const named = JSON.stringify(wanted);
  const several = wanted === undefined ? 'There are several workspaces.' : `Several workspaces have the name ${named}.`;
  const matching = isKnown && wanted !== undefined ? all.filter(({ name }) => name === wanted) : all;
  const shown = matching.slice(0, MAX_NAMED).map(({ id, name }) => `${id} (${name})`);
  const more = matching.length > shown.length ? `, and ${matching.length - shown.length} more` : '';
  const remedy = all.length === 0 ? '' : ` Give the id of one: ${shown.join(', ')}${more}.`;
  return refusal('/workspace', `${isKnown ? several : `There is no workspace ${named}.`}${remedy}`);
}

function checkedName(text: string): string {
  const name = text.trim();
  if (name.length >= 1 && name.length <= MAX_NAME && !name.includes('\0')) return name;
  throw refusal('/name', `A name has 1 to ${MAX_NAME} characters.`);
}

function checkedEmail(text: string, pointer: string): string {
  const email = parseEmailAddress(text);
  if (email === undefined) throw refusal(pointer, `${JSON.stringify(text)} is not an e-mail address.`);
  return email;
}

function refusal(pointer: string, detail: string): DomainError {
  return new DomainError('invalid_request', detail, { errors: [{ pointer, detail }] });
}

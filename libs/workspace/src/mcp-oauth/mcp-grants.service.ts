import { randomBytes } from 'node:crypto';
import { Clock, DomainError, newId } from '@app/kernel';
import { Transactions } from '@app/platform/database';
import { Injectable } from '@nestjs/common';
import { ApiKeyRepository } from '../api-key.repository.js';
import { AuditLogService } from '../audit-log.service.js';
import type { Principal } from '../principal.js';
import { type Role, ROLES, weakerRole } from '../roles.js';

const MAX_NAME = 200;

export interface NewMcpGrant {
  name: string;
  /** Strongest role that the resource permits. */
  role: Role;
  /** Ids of the agents to which the key is narrowed. Null means all agents. */
  agents: readonly string[] | null;
  codeSeconds: number;
}

export function mayGrant(member: Role, role: Role): boolean {
  return ROLES.indexOf(member) >= ROLES.indexOf(role);
}

@Injectable()
export class McpGrantsService {
  constructor(
    private readonly transactions: Transactions,
    private readonly keys: ApiKeyRepository,
    private readonly audit: AuditLogService,
    private readonly clock: Clock,
  ) {}

  /** @throws DomainError `insufficient_scope` if the role is `builder`, and the member has a weaker role */
  assertMayGrant(member: Principal, role: Role): void {
    if (role !== 'builder' || mayGrant(member.role, role)) return;
    const detail = `Only builders can give a client access to the address for authoring. You have the role ${member.role}.`;
    throw new DomainError('insufficient_scope', detail);
  }

  /**
   * Creates a key of kind `mcp` for the actor, and returns its id. The key has no text: only the tokens of the client
   * authenticate with it. A key whose code is not redeemed in time ends.
   * @throws DomainError the error of {@link assertMayGrant}
   */
  async create(actor: Principal, { name, role, agents, codeSeconds }: NewMcpGrant): Promise<string> {
    this.assertMayGrant(actor, role);
    const { workspaceId, memberId, email } = actor;
    const id = newId('apiKey');
    const key = {
      id,
      workspaceId,
      memberId,
      parentId: null,
      name: name.slice(0, MAX_NAME),
      kind: 'mcp' as const,
      role: weakerRole(role, actor.role),
      scopes: null,
      agents: agents === null ? null : [...agents],
      isAutomation: false,
      // No text has this hash.
      hash: randomBytes(32),
      prefix: '',
      lastFour: '',
      expiresAt: new Date(this.clock.now().getTime() + codeSeconds * 1000),
      revokedAt: null,
      lastUsedAt: null,
      previousHash: null,
      previousExpiresAt: null,
    };
    await this.transactions.run(async (transaction) => {
      await this.keys.insert(key, transaction);
      const detail = { name: key.name, kind: key.kind, role: key.role, member: email, agents: key.agents };
      await this.audit.record(actor, { action: 'api_key.create', target: id, detail }, transaction);
    });
    return id;
  }
}

import { assertExpected, type ExpectedVersions, notFound } from '@app/kernel';
import { SnapshotsService, Transactions } from '@app/platform/database';
import { AuditLogService, type Principal, seenAgents, seesAgent } from '@app/workspace';
import { Injectable } from '@nestjs/common';
import { KnowledgeBaseRepository } from '../bases/knowledge-base.repository.js';
import { KnowledgeBasesService } from '../bases/knowledge-bases.service.js';
import type { AccessGrantEntity } from './access-grant.entity.js';
import { AccessGrantRepository } from './access-grant.repository.js';
import { type GrantedTo, readWantedGrants, type WantedAccess } from './wanted-grants.js';

/** Knowledge bases are granted to agents, but this library does not depend on the agents library. */
export abstract class AgentDirectory {
  abstract known(workspaceId: string, ids: readonly string[]): Promise<ReadonlySet<string>>;
}

export interface KnowledgeGrants {
  grants: readonly AccessGrantEntity[];
  version: number;
}

/** There are no implicit grants. */
@Injectable()
export class KnowledgeAccessService {
  constructor(
    private readonly transactions: Transactions,
    private readonly knowledgeBases: KnowledgeBasesService,
    private readonly bases: KnowledgeBaseRepository,
    private readonly grants: AccessGrantRepository,
    private readonly agents: AgentDirectory,
    private readonly audit: AuditLogService,
    private readonly snapshots: SnapshotsService,
  ) {}

  /**
   * Reads the grants and their version in one snapshot, so that the version always belongs to the returned grants.
   * Clients send the version as `If-Match`.
   */
  get(workspaceId: string, id: string): Promise<KnowledgeGrants> {
    return this.snapshots.read(async () => {
      const { accessVersion: version } = await this.knowledgeBases.get(workspaceId, id);
      return { grants: await this.grants.readGrants(workspaceId, id), version };
    });
  }

  /**
   * A grant that already exists keeps its date and author.
   * @throws DomainError `not_found`, `unknown_reference`, or `precondition_failed` if `expected` is not the current
   * version
   */
  async replace(
    actor: Principal,
    id: string,
    wanted: WantedAccess,
    expected?: ExpectedVersions,
  ): Promise<KnowledgeGrants> {
    const { workspaceId, email } = actor;
    const known = await this.agents.known(workspaceId, wanted.agents);
    const asked = readWantedGrants(wanted, new Set(seenAgents(actor, [...known])));
    return this.transactions.run(async (transaction) => {
      const base = await this.bases.lock(workspaceId, id, transaction);
      if (!base) throw notFound('knowledge base', id);
      assertExpected(expected, base.accessVersion, 'access to the knowledge base');
      const before = await this.grants.readGrants(workspaceId, id, transaction);
      // Agents that do not exist for the caller keep their grants.
      const unseen = before.filter(({ type, principal }) => type === 'agent' && !seesAgent(actor, principal));
      const after = [...asked, ...unseen];
      await this.grants.replaceGrants(base, after, email, transaction);
      await this.bases.raiseAccessVersion(workspaceId, id, transaction);
      const detail = { before: before.map(asText), after: after.map(asText) };
      await this.audit.record(actor, { action: 'knowledge_base.access', target: id, detail }, transaction);
      return { grants: await this.grants.readGrants(workspaceId, id, transaction), version: base.accessVersion + 1 };
    });
  }
}

function asText({ type, principal }: GrantedTo): string {
  return `${type} ${principal}`;
}

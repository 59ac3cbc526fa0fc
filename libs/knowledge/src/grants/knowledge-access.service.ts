import { assertExpected, type ExpectedVersions, notFound } from '@app/kernel';
import { Snapshots, Transactions } from '@app/platform/database';
import { AuditLog, type Principal } from '@app/workspace';
import { Injectable } from '@nestjs/common';
import { KnowledgeBaseRepository } from '../bases/knowledge-base.repository.js';
import { KnowledgeBasesService } from '../bases/knowledge-bases.service.js';
import type { AccessGrantEntity } from './access-grant.entity.js';
import { AccessGrantRepository, type GrantedTo } from './access-grant.repository.js';
import { AgentDirectory } from './agent-directory.js';
import { grantsWanted, type WantedAccess } from './wanted-grants.js';

/** Who may read a base, as of one version of its grants. */
export interface KnowledgeGrants {
  /** By type, then by principal. */
  grants: readonly AccessGrantEntity[];
  /** Changes with every replacement. */
  version: number;
}

/** Grants on knowledge bases: users, groups, channels and agents that may read them. Nobody is granted anything silently. */
@Injectable()
export class KnowledgeAccessService {
  constructor(
    private readonly transactions: Transactions,
    private readonly knowledgeBases: KnowledgeBasesService,
    private readonly bases: KnowledgeBaseRepository,
    private readonly grants: AccessGrantRepository,
    private readonly agents: AgentDirectory,
    private readonly audit: AuditLog,
    private readonly snapshots: Snapshots,
  ) {}

  /**
   * One snapshot: `If-Match` with the version must not pass for grants that the caller has not seen.
   * @throws DomainError `not_found`
   */
  get(workspaceId: string, id: string): Promise<KnowledgeGrants> {
    return this.snapshots.read(async () => {
      const { accessVersion: version } = await this.knowledgeBases.get(workspaceId, id);
      return { grants: await this.grants.of(workspaceId, id), version };
    });
  }

  /**
   * Puts these grants in place of the ones before; whoever kept theirs keeps its date.
   * @throws DomainError `not_found`, `unknown_reference`, `precondition_failed`
   */
  async replace(
    actor: Principal,
    id: string,
    wanted: WantedAccess,
    expected?: ExpectedVersions,
  ): Promise<KnowledgeGrants> {
    const { workspaceId, email } = actor;
    const after = grantsWanted(wanted, await this.agents.known(workspaceId, wanted.agents));
    return this.transactions.run(async (transaction) => {
      const base = await this.bases.lock(workspaceId, id, transaction);
      if (!base) throw notFound('knowledge base', id);
      assertExpected(expected, base.accessVersion, 'access to the knowledge base');
      const before = await this.grants.of(workspaceId, id, transaction);
      await this.grants.replace(base, after, email, transaction);
      await this.bases.raiseAccessVersion(workspaceId, id, transaction);
      const detail = { before: before.map(asText), after: after.map(asText) };
      await this.audit.record(actor, { action: 'knowledge_base.access', target: id, detail }, transaction);
      return { grants: await this.grants.of(workspaceId, id, transaction), version: base.accessVersion + 1 };
    });
  }
}

function asText({ type, principal }: GrantedTo): string {
  return `${type} ${principal}`;
}

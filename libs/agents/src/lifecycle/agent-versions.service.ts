import {
  DomainError,
  type ExpectedVersions,
  invariant,
  isId,
  notFound,
  type Page,
  type PageRequest,
} from '@app/kernel';
import type { Transaction } from '@app/platform/database';
import { AuditLogService, IdempotencyStore } from '@app/workspace';
import { Injectable } from '@nestjs/common';
import type { AgentVersionEntity, ListedVersion } from '../records/agent-version.entity.js';
import { AgentVersionRepository } from '../records/agent-version.repository.js';
import type { AgentEntity } from '../records/agent.entity.js';
import { AgentRepository, nameTaken } from '../records/agent.repository.js';
import { type Actor, AgentsService, type Creation } from './agents.service.js';
import { isVersionNumber } from '../definitions/compiled-versions.service.js';
import { compareDefinitions, type DefinitionComparison, type DefinitionWarning } from '@app/definition';
import { type DescribedDefinition, DefinitionReaderService } from '../definitions/definition-reader.service.js';
import type { DefinitionSource } from '../definitions/submitted-definition.js';

export interface CreatedVersion {
  version: AgentVersionEntity;
  created: boolean;
  warnings: readonly DefinitionWarning[];
  replayed: boolean;
}

export interface VersionCreation extends Creation {
  /** If its number is not one of them, the request is rejected. */
  expectedLatest?: ExpectedVersions;
}

@Injectable()
export class AgentVersionsService {
  constructor(
    private readonly requests: IdempotencyStore,
    private readonly agentsService: AgentsService,
    private readonly agents: AgentRepository,
    private readonly versions: AgentVersionRepository,
    private readonly reader: DefinitionReaderService,
    private readonly audit: AuditLogService,
  ) {}

  /**
   * If the definition equals that of the latest version, returns the latest version with `created: false`.
   * @throws DomainError `not_found`, `agent_archived`, `precondition_failed`, `name_taken`, and the errors of {@link
   * DefinitionReaderService.read} and {@link IdempotencyStore.runOnce}
   */
  async create(
    actor: Actor,
    agentId: string,
    source: DefinitionSource,
    { claim, expectedLatest, project = null }: VersionCreation = {},
  ): Promise<CreatedVersion> {
    if (!isId('agent', agentId)) throw notFound('agent', agentId);
    const submitted = await this.reader.read(actor.workspaceId, source, agentId);
    const { result, replayed } = await this.requests.runOnce(actor.workspaceId, claim, async (transaction) => {
      const agent = await this.agents.lockActive(actor.workspaceId, agentId, transaction);
      requireLatest(agent, expectedLatest);
      const latest = await this.read(agent, agent.latestVersion, transaction);
      const { record, warnings } = submitted;
      if (latest.definitionHash === record.definitionHash) return { version: latest, created: false, warnings };
      return {
        version: await this.append(actor, agent, { ...submitted, project }, transaction),
        created: true,
        warnings,
      };
    });
    return { ...result, replayed };
  }

  /** @throws DomainError `not_found` */
  async list(workspaceId: string, agentId: string, page: PageRequest): Promise<Page<ListedVersion>> {
    await this.agentsService.get(workspaceId, agentId);
    const rows = await this.versions.page(workspaceId, agentId, page);
    const data = rows.slice(0, page.limit);
    const last = rows.length > page.limit ? data.at(-1) : undefined;
    return last ? { data, last: String(last.version) } : { data };
  }

  /** @throws DomainError `not_found` for the agent or the version */
  async get(workspaceId: string, agentId: string, version: number): Promise<AgentVersionEntity> {
    const wellFormed = isId('agent', agentId) && isVersionNumber(version);
    const found = wellFormed ? await this.versions.find(workspaceId, agentId, version) : null;
    if (found) return found;
    await this.agentsService.get(workspaceId, agentId);
    throw notFound('version', String(version));
  }

  /** @throws DomainError `not_found` for the agent or a version */
  async compare(workspaceId: string, agentId: string, a: number, b: number): Promise<DefinitionComparison> {
    const before = await this.get(workspaceId, agentId, a);
    const after = await this.get(workspaceId, agentId, b);
    return compareDefinitions(before.definition, after.definition);
  }

  /**
   * Checks only the text of the definition and calls no tool servers.
   * @throws DomainError `not_found` for the agent or the version, and the errors of {@link
   * DefinitionReaderService.parse}
   */
  async compareWith(
    workspaceId: string,
    agentId: string,
    a: number,
    source: DefinitionSource,
  ): Promise<DefinitionComparison> {
    const before = await this.get(workspaceId, agentId, a);
    return compareDefinitions(before.definition, this.reader.parse(source).record.definition);
  }

  private async append(
    actor: Actor,
    agent: AgentEntity,
    submitted: DescribedDefinition & { project: string | null },
    transaction: Transaction,
  ): Promise<AgentVersionEntity> {
    const { workspaceId, id: agentId } = agent;
    const { name, refusal, project } = submitted;
    if (refusal) throw refusal;
    if (name !== agent.name && (await this.agents.isNameTaken(workspaceId, name, agentId, transaction))) {
      throw nameTaken(name);
    }
    const version = agent.latestVersion + 1;
    const createdBy = actor.email;
    const record = { agentId, workspaceId, version, createdBy, project, ...submitted.record };
    await this.versions.insert(record, submitted.descriptions, transaction);
    await this.agents.setLatestVersion(record, transaction);
    const detail = { version, name, ...(project !== null && { project }) };
    await this.audit.record(actor, { action: 'agent_version.create', target: agentId, detail }, transaction);
    return this.read(agent, version, transaction);
  }

  private async read(agent: AgentEntity, version: number, transaction: Transaction): Promise<AgentVersionEntity> {
    const found = await this.versions.find(agent.workspaceId, agent.id, version, transaction);
    invariant(found, 'every number up to the latest has its version');
    return found;
  }
}

/** @throws DomainError `precondition_failed` */
function requireLatest({ name, latestVersion }: AgentEntity, expected: ExpectedVersions): void {
  if (expected === undefined || expected.has(String(latestVersion))) return;
  throw new DomainError(
    'precondition_failed',
    `The latest version of the agent ${JSON.stringify(name)} is ${latestVersion}, but If-Match contains another version. Compare your definition with version ${latestVersion}, then send \`If-Match: "${latestVersion}"\`.`,
    { extensions: { latest_version: latestVersion } },
  );
}

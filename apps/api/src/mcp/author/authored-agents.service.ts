import { Inject, Injectable } from '@nestjs/common';
import {
  type AgentEntity,
  AgentsService,
  AgentVersionsService,
  DefinitionReaderService,
  type DefinitionSource,
} from '@app/agents';
import { DomainError, isId, isJsonObject, type JsonObject, notFound } from '@app/kernel';
import { type AddressConfig, addressConfig } from '@app/platform/startup';
import {
  agentsOf,
  assertAllAgents,
  assertLive,
  type IdempotencyClaim,
  type Principal,
  seesAgent,
} from '@app/workspace';
import { presentValidation } from '../../definitions/definitions.api.js';
import { DefinitionChecksService } from '../../definitions/definition-checks.service.js';
import { listedAgents } from '../../agents/agents.api.js';
import { ListPagesService, PageQuery } from '../../http/list-pages.service.js';

/** A result stays below its maximum size with this number of agents. */
const MAX_PAGE = 20;

/** The result of a tool, before it is made to fit. */
export type ToolData = Record<string, unknown>;

export type Definition = string | JsonObject;

/** The tools that read and store definitions. Each method is the tool of the same name. */
@Injectable()
export class AuthoredAgentsService {
  constructor(
    private readonly agents: AgentsService,
    private readonly versions: AgentVersionsService,
    private readonly reader: DefinitionReaderService,
    private readonly checks: DefinitionChecksService,
    private readonly pages: ListPagesService,
    @Inject(addressConfig.KEY) private readonly address: AddressConfig,
  ) {}

  async listAgents(principal: Principal, { cursor }: { cursor?: string }): Promise<ToolData> {
    const { workspaceId } = principal;
    const query = Object.assign(new PageQuery(), {
      limit: MAX_PAGE,
      order: 'asc',
      ...(cursor !== undefined && { cursor }),
    });
    const { data: agents, ...rest } = await this.pages.answer(query, {
      list: 'mcp/agents',
      workspaceId,
      read: (page) => this.agents.list(workspaceId, { ...page, ...listedAgents(query, principal) }),
      present: (agent: AgentEntity) => ({
        id: agent.id,
        name: agent.name,
        description: agent.description,
        status: agent.status,
        production_version: agent.productionVersion,
        latest_version: agent.latestVersion,
      }),
    });
    return { agents, ...rest };
  }

  async getDefinition(
    principal: Principal,
    { agent: wanted, version }: { agent: string; version?: number },
  ): Promise<ToolData> {
    const agent = await this.find(principal, wanted);
    const found = await this.versions.get(principal.workspaceId, agent.id, version ?? agent.latestVersion);
    return {
      agent: agent.id,
      version: found.version,
      definition: found.source,
      definition_hash: found.definitionHash,
      is_production: found.version === agent.productionVersion,
    };
  }

  async validateDefinition(principal: Principal, given: { definition: Definition; agent?: string }): Promise<ToolData> {
    const source = sourceOf(given.definition);
    const named = given.agent === undefined ? undefined : await this.find(principal, given.agent);
    const { unchecked: _, ...validation } = presentValidation(await this.checks.validate(principal, source));
    if (validation.errors.length > 0) return { ...validation, capability_changes: [] };
    const agent = named ?? (await this.findByName(principal, this.reader.parse(source).name));
    return { ...validation, capability_changes: agent ? await this.changes(agent, source) : [] };
  }

  async createAgent(
    principal: Principal,
    { definition }: { definition: Definition },
    claim: IdempotencyClaim | undefined,
  ): Promise<ToolData> {
    assertAllAgents(principal);
    assertLive(principal, 'A test key cannot create agents.');
    const { agent, warnings } = await this.agents.create(principal, sourceOf(definition), { isPaused: true, claim });
    const { consoleUrl } = this.address;
    return {
      agent: agent.id,
      name: agent.name,
      version: agent.latestVersion,
      status: agent.status,
      warnings: [...warnings],
      console_url: consoleUrl === null ? null : `${consoleUrl}/agents/${agent.id}`,
    };
  }

  async createVersion(
    principal: Principal,
    given: { agent: string; definition: Definition; if_latest: number },
    claim: IdempotencyClaim | undefined,
  ): Promise<ToolData> {
    const agent = await this.find(principal, given.agent);
    const source = sourceOf(given.definition);
    const creation = { expectedLatest: new Set([String(given.if_latest)]), claim };
    const { version, created, warnings } = await this.versions
      .create(principal, agent.id, source, creation)
      .catch(aboutLatest);
    const capability_changes = await this.changes(agent, source);
    return { agent: agent.id, version: version.version, created, warnings: [...warnings], capability_changes };
  }

  /** @throws DomainError `not_found`, also for an agent that does not exist for the key */
  async find(principal: Principal, agent: string): Promise<AgentEntity> {
    const found = isId('agent', agent)
      ? await this.agents.get(principal.workspaceId, agent)
      : await this.findByName(principal, agent);
    if (!found || !seesAgent(principal, found.id)) throw notFound('agent', agent);
    return found;
  }

  private async findByName(principal: Principal, name: string): Promise<AgentEntity | undefined> {
    const ids = agentsOf(principal);
    const page = { name, limit: 1, order: 'asc' as const, ...(ids && { ids }) };
    return (await this.agents.list(principal.workspaceId, page)).data[0];
  }

  /** Returns what the definition may do more or less than production. */
  private async changes({ workspaceId, id, productionVersion }: AgentEntity, source: DefinitionSource) {
    const { capabilityChanges } = await this.versions.compareWith(workspaceId, id, productionVersion, source);
    return [...capabilityChanges];
  }
}

export function sourceOf(definition: Definition): DefinitionSource {
  if (!isJsonObject(definition)) return { text: definition, format: 'yaml' };
  return { text: JSON.stringify(definition), format: 'json' };
}

/** The error of the API names a header. */
function aboutLatest(error: unknown): never {
  if (!(error instanceof DomainError) || error.code !== 'precondition_failed') throw error;
  const latest = Number(error.extensions.latest_version);
  const detail = `The latest version is ${latest}. Read it with get_definition, then send if_latest: ${latest}.`;
  throw new DomainError('precondition_failed', detail, { errors: [{ pointer: '/if_latest', detail }] });
}

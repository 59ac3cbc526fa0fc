import { Injectable } from '@nestjs/common';
import { AgentVersionRepository } from '../records/agent-version.repository.js';
import { CalledAgentsService } from './called-agents.service.js';
import { CompiledVersionsService } from './compiled-versions.service.js';
import type { CompiledDefinition } from '@app/definition';
import { ToolDescriberService } from './tool-describer.service.js';

/** Gets the descriptions of tools whose servers did not respond when the version was created. */
@Injectable()
export class LateDescriptionsService {
  constructor(
    private readonly versions: AgentVersionRepository,
    private readonly compiled: CompiledVersionsService,
    private readonly describer: ToolDescriberService,
    private readonly agents: CalledAgentsService,
  ) {}

  /**
   * Returns the definition with the stored descriptions of its tools. If a tool has none, requests its description from
   * the server again. The first description is stored and never changes. Descriptions of agents that are used as tools
   * are not stored. They are read each time this method is called, because the inputs of an agent may change.
   * @throws DomainError `not_found`
   */
  async complete(workspaceId: string, agentId: string, version: number): Promise<CompiledDefinition> {
    return this.agents.shown(workspaceId, await this.described(workspaceId, agentId, version));
  }

  private async described(workspaceId: string, agentId: string, version: number): Promise<CompiledDefinition> {
    const compiled = await this.compiled.get(workspaceId, agentId, version);
    if (![...compiled.tools.values()].some((tool) => 'isDescribed' in tool && !tool.isDescribed)) return compiled;
    const stored = await this.versions.findDefinition(workspaceId, agentId, version);
    if (!stored) return compiled;
    const { descriptions: found, problems } = await this.describer.describe(workspaceId, compiled, stored.definition);
    // If the server lacks an operation that the definition includes, no description of the tool is stored. Calls of the
    // tool fail until the server has the operation.
    const misfits = problems.filter(({ severity }) => severity === 'error').map(({ tool }) => tool);
    const descriptions = Object.fromEntries(Object.entries(found).filter(([tool]) => !misfits.includes(tool)));
    if (Object.keys(descriptions).length === 0) return compiled;
    await this.versions.describe(workspaceId, agentId, version, descriptions);
    this.compiled.invalidateDefinition(workspaceId, agentId, version);
    return this.compiled.get(workspaceId, agentId, version);
  }
}

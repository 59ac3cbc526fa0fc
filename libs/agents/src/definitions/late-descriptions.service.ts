import { Injectable } from '@nestjs/common';
import { AgentVersionRepository } from '../records/agent-version.repository.js';
import { CalledAgents } from './called-agents.service.js';
import { CompiledVersions } from './compiled-versions.js';
import type { CompiledDefinition } from '@app/definition';
import { ToolDescriber } from './tool-describer.service.js';

/** Descriptions of tools whose servers did not answer when their version was created. */
@Injectable()
export class LateDescriptions {
  constructor(
    private readonly versions: AgentVersionRepository,
    private readonly compiled: CompiledVersions,
    private readonly describer: ToolDescriber,
    private readonly agents: CalledAgents,
  ) {}

  /**
   * The definition with as many of its tools described as can be now; each is described once, and by whoever is first,
   * but for other agents: what those want may change at any time.
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
    // A tool that does not have what the version includes stays as it is: its calls fail until it has.
    const misfits = problems.filter(({ severity }) => severity === 'error').map(({ tool }) => tool);
    const descriptions = Object.fromEntries(Object.entries(found).filter(([tool]) => !misfits.includes(tool)));
    if (Object.keys(descriptions).length === 0) return compiled;
    await this.versions.describe(workspaceId, agentId, version, descriptions);
    this.compiled.forgetDefinition(workspaceId, agentId, version);
    return this.compiled.get(workspaceId, agentId, version);
  }
}

import { DomainError, isId } from '@app/kernel';
import { Injectable } from '@nestjs/common';
import { AgentRepository } from '../records/agent.repository.js';
import { CompiledVersionsService } from './compiled-versions.service.js';
import type { AgentTool, CompiledDefinition, DescriptionProblem, ToolOperation } from '@app/definition';

@Injectable()
export class CalledAgentsService {
  constructor(
    private readonly agents: AgentRepository,
    private readonly versions: CompiledVersionsService,
  ) {}

  /**
   * An unknown id is an error. An unknown name is only a warning, because the agent may be created later. `own` is the
   * name of the calling agent, which may call itself.
   */
  async problemOf(workspaceId: string, { name: tool, agent }: AgentTool, own: string): Promise<DescriptionProblem[]> {
    if (agent === own || (await this.idOf(workspaceId, agent)) !== undefined) return [];
    const detail = `There is no agent ${JSON.stringify(agent)} in this workspace.`;
    if (isId('agent', agent)) return [{ tool, key: ['agent'], severity: 'error', detail }];
    const suggestion = 'Create that agent before this agent runs. Until then, calls of it fail.';
    return [{ tool, key: ['agent'], severity: 'warning', detail, suggestion }];
  }

  /**
   * The schema of a called agent may change before the call. Calls are therefore not validated against these schemas.
   */
  async shown(workspaceId: string, definition: CompiledDefinition): Promise<CompiledDefinition> {
    if (definition.kind === 'steps') return definition;
    const tools = [...definition.tools.values()].filter((tool) => tool.kind === 'agent');
    if (tools.length === 0) return definition;
    const operations = new Map(definition.operations);
    for (const operation of await Promise.all(tools.map((tool) => this.operationOf(workspaceId, tool))))
      for (const each of operation) operations.set(each.fullName, each);
    return { ...definition, operations };
  }

  private async operationOf(workspaceId: string, tool: AgentTool): Promise<ToolOperation[]> {
    const operations = [...tool.operations.values()];
    try {
      const id = await this.idOf(workspaceId, tool.agent);
      if (id === undefined) return operations;
      const { definition } = await this.versions.production(workspaceId, id);
      return operations.map((operation) => ({
        ...operation,
        description: operation.description ?? definition.description,
        expects: definition.input?.schema ?? null,
      }));
    } catch (error) {
      if (!(error instanceof DomainError) || error.code !== 'not_found') throw error;
      return operations;
    }
  }

  private async idOf(workspaceId: string, agent: string): Promise<string | undefined> {
    if (isId('agent', agent)) return (await this.agents.idsAmong(workspaceId, [agent]))[0];
    const [found] = (await this.agents.page(workspaceId, { name: agent }, { limit: 1, order: 'asc' })).data;
    return found?.id;
  }
}

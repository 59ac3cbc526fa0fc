import { Controller, Get, HttpCode, Post, Res } from '@nestjs/common';
import type { Response } from 'express';
import { AgentsService, type DefinitionSource } from '@app/agents';
import { type Principal, Workspaces } from '@app/workspace';
import { RequireScopes } from '../http/access.decorators.js';
import { created } from '../http/answers.js';
import { ListPages, type PagedList } from '../http/list-pages.js';
import { CurrentPrincipal, DefinitionBody, PathId, QueryParameters } from '../http/request-decorators.js';
import { type AgentResource, type CreatedAgentResource, ListAgentsQuery } from './agent.dto.js';
import { agentList } from './agent-list.js';
import { AGENT_OPERATIONS } from './agent.operations.js';
import { presentAgent, presentCreatedAgent } from './agent.presenter.js';

@Controller('v1/agents')
export class AgentsController {
  constructor(
    private readonly agents: AgentsService,
    private readonly workspaces: Workspaces,
    private readonly pages: ListPages,
  ) {}

  @Get()
  @RequireScopes('agents:read')
  @AGENT_OPERATIONS.list
  async list(
    @CurrentPrincipal() { workspaceId }: Principal,
    @QueryParameters() query: ListAgentsQuery,
  ): Promise<PagedList<AgentResource>> {
    const workspace = await this.workspaces.get(workspaceId);
    return this.pages.answer(query, agentList(this.agents, workspace, query));
  }

  @Post()
  @RequireScopes('agents:write')
  @AGENT_OPERATIONS.create
  async create(
    @CurrentPrincipal() principal: Principal,
    @DefinitionBody() definition: DefinitionSource,
    @Res({ passthrough: true }) response: Response,
  ): Promise<CreatedAgentResource> {
    const workspace = await this.workspaces.get(principal.workspaceId);
    const result = await this.agents.create(principal, definition);
    return created(response, `/v1/agents/${result.agent.id}`, presentCreatedAgent(result, workspace));
  }

  @Get(':id')
  @RequireScopes('agents:read')
  @AGENT_OPERATIONS.get
  async get(@CurrentPrincipal() { workspaceId }: Principal, @PathId('id', 'agent') id: string): Promise<AgentResource> {
    return presentAgent(await this.agents.get(workspaceId, id), await this.workspaces.get(workspaceId));
  }

  @Post(':id/pause')
  @HttpCode(200)
  @RequireScopes('agents:write')
  @AGENT_OPERATIONS.pause
  async pause(
    @CurrentPrincipal() { workspaceId }: Principal,
    @PathId('id', 'agent') id: string,
  ): Promise<AgentResource> {
    return presentAgent(await this.agents.pause(workspaceId, id), await this.workspaces.get(workspaceId));
  }

  @Post(':id/resume')
  @HttpCode(200)
  @RequireScopes('agents:write')
  @AGENT_OPERATIONS.resume
  async resume(
    @CurrentPrincipal() { workspaceId }: Principal,
    @PathId('id', 'agent') id: string,
  ): Promise<AgentResource> {
    return presentAgent(await this.agents.resume(workspaceId, id), await this.workspaces.get(workspaceId));
  }
}

import { Controller, Get, HttpCode, Post, Res } from '@nestjs/common';
import type { Response } from 'express';
import { AgentsService } from '@app/agents';
import { type Principal, Workspaces } from '@app/workspace';
import { RequireScopes } from '../http/access.decorators.js';
import { ListPages, type PagedList } from '../http/list-pages.js';
import {
  CurrentPrincipal,
  PathId,
  QueryParameters,
  StoredDefinition,
  type SubmittedDefinition,
} from '../http/request-decorators.js';
import { type AgentResource, type CreatedAgentResource, ListAgentsQuery } from './agent.dto.js';
import { agentList } from './agent-list.js';
import { AGENT_OPERATIONS } from './agent.operations.js';
import { presentAgent, presentCreation } from './agent.presenter.js';

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
    @StoredDefinition() { definition, claim }: SubmittedDefinition,
    @Res({ passthrough: true }) response: Response,
  ): Promise<CreatedAgentResource> {
    const workspace = await this.workspaces.get(principal.workspaceId);
    return presentCreation(response, await this.agents.create(principal, definition, claim), workspace);
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

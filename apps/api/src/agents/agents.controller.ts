import { Controller, Delete, Get, HttpCode, Post, Res } from '@nestjs/common';
import type { Response } from 'express';
import { AgentLifecycle, AgentsService } from '@app/agents';
import { Snapshots } from '@app/platform/database';
import { type Principal, Workspaces } from '@app/workspace';
import type { ExpectedVersions } from '@app/kernel';
import { RequireScopes } from '../http/access.decorators.js';
import type { SubmittedDefinition } from '../http/definition-body.js';
import { ListPages, type PagedList } from '../http/list-pages.js';
import { CurrentPrincipal, PathId, QueryParameters, StoredDefinition } from '../http/request-decorators.js';
import { IfMatch } from '../http/entity-tag.js';
import { AgentChanges } from './agent-changes.js';
import { type AgentResource, type CreatedAgentResource, ListAgentsQuery } from './agent.dto.js';
import { agentList } from './agent-list.js';
import { AGENT_OPERATIONS } from './agent.operations.js';
import { presentCreation } from './agent.presenter.js';

@Controller('v1/agents')
export class AgentsController {
  constructor(
    private readonly agents: AgentsService,
    private readonly lifecycle: AgentLifecycle,
    private readonly changes: AgentChanges,
    private readonly workspaces: Workspaces,
    private readonly pages: ListPages,
    private readonly snapshots: Snapshots,
  ) {}

  @Get()
  @RequireScopes('agents:read')
  @AGENT_OPERATIONS.list
  list(
    @CurrentPrincipal() { workspaceId }: Principal,
    @QueryParameters() query: ListAgentsQuery,
  ): Promise<PagedList<AgentResource>> {
    return this.snapshots.read(async () => {
      const workspace = await this.workspaces.get(workspaceId);
      return this.pages.answer(query, agentList(this.agents, workspace, query));
    });
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
  get(
    @CurrentPrincipal() principal: Principal,
    @PathId('id', 'agent') id: string,
    @Res({ passthrough: true }) response: Response,
  ): Promise<AgentResource> {
    return this.changes.read(principal, response, () => this.agents.get(principal.workspaceId, id));
  }

  @Post(':id/pause')
  @HttpCode(200)
  @RequireScopes('agents:write')
  @AGENT_OPERATIONS.pause
  pause(
    @CurrentPrincipal() actor: Principal,
    @PathId('id', 'agent') id: string,
    @IfMatch() expected: ExpectedVersions,
    @Res({ passthrough: true }) response: Response,
  ): Promise<AgentResource> {
    return this.changes.answer(actor, { expected, response }, (is) => this.lifecycle.pause(actor, id, is));
  }

  @Post(':id/resume')
  @HttpCode(200)
  @RequireScopes('agents:write')
  @AGENT_OPERATIONS.resume
  resume(
    @CurrentPrincipal() actor: Principal,
    @PathId('id', 'agent') id: string,
    @IfMatch() expected: ExpectedVersions,
    @Res({ passthrough: true }) response: Response,
  ): Promise<AgentResource> {
    return this.changes.answer(actor, { expected, response }, (is) => this.lifecycle.resume(actor, id, is));
  }

  @Delete(':id')
  @RequireScopes('agents:write')
  @AGENT_OPERATIONS.archive
  archive(
    @CurrentPrincipal() actor: Principal,
    @PathId('id', 'agent') id: string,
    @IfMatch() expected: ExpectedVersions,
    @Res({ passthrough: true }) response: Response,
  ): Promise<AgentResource> {
    return this.changes.answer(actor, { expected, response }, (is) => this.lifecycle.archive(actor, id, is));
  }
}

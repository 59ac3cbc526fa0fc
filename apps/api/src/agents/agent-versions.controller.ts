import { Controller, Get, Post, Req, Res } from '@nestjs/common';
import type { Request, Response } from 'express';
import { AgentVersionsService } from '@app/agents';
import type { Principal } from '@app/workspace';
import { RequireScopes } from '../http/access.decorators.js';
import type { SubmittedDefinition } from '../http/definition-body.js';
import { ListPages, type PagedList } from '../http/list-pages.js';
import { PageQuery } from '../http/page.dto.js';
import {
  CurrentPrincipal,
  PathId,
  PathVersion,
  QueryParameters,
  StoredDefinition,
} from '../http/request-decorators.js';
import type { AgentVersionResource, CreatedAgentVersionResource } from './agent-version.dto.js';
import { AGENT_VERSION_OPERATIONS } from './agent-version.operations.js';
import { presentComparison, presentCreatedVersion, presentVersionAs, versionList } from './agent-version.presenter.js';
import type { VersionComparison } from './version-comparison.dto.js';

@Controller('v1/agents/:id/versions')
export class AgentVersionsController {
  constructor(
    private readonly versions: AgentVersionsService,
    private readonly pages: ListPages,
  ) {}

  @Get()
  @RequireScopes('agents:read')
  @AGENT_VERSION_OPERATIONS.list
  list(
    @CurrentPrincipal() { workspaceId }: Principal,
    @PathId('id', 'agent') agentId: string,
    @QueryParameters() query: PageQuery,
  ): Promise<PagedList<AgentVersionResource>> {
    return this.pages.answer(query, versionList(this.versions, workspaceId, agentId));
  }

  @Post()
  @RequireScopes('agents:write')
  @AGENT_VERSION_OPERATIONS.create
  async create(
    @CurrentPrincipal() principal: Principal,
    @PathId('id', 'agent') agentId: string,
    @StoredDefinition() { definition, claim }: SubmittedDefinition,
    @Res({ passthrough: true }) response: Response,
  ): Promise<CreatedAgentVersionResource> {
    return presentCreatedVersion(response, await this.versions.create(principal, agentId, definition, claim));
  }

  @Get(':n')
  @RequireScopes('agents:read')
  @AGENT_VERSION_OPERATIONS.get
  async get(
    @CurrentPrincipal() { workspaceId }: Principal,
    @PathId('id', 'agent') agentId: string,
    @PathVersion('n') version: number,
    @Req() request: Request,
    @Res({ passthrough: true }) response: Response,
  ): Promise<AgentVersionResource | string> {
    return presentVersionAs(request, response, await this.versions.get(workspaceId, agentId, version));
  }

  @Get(':a/diff/:b')
  @RequireScopes('agents:read')
  @AGENT_VERSION_OPERATIONS.compare
  async compare(
    @CurrentPrincipal() { workspaceId }: Principal,
    @PathId('id', 'agent') agentId: string,
    @PathVersion('a') a: number,
    @PathVersion('b') b: number,
  ): Promise<VersionComparison> {
    return presentComparison({ agentId, a, b }, await this.versions.compare(workspaceId, agentId, a, b));
  }
}

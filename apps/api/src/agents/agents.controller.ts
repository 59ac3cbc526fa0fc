import { Controller, Delete, Get, Post, Res } from '@nestjs/common';
import type { Response } from 'express';
import { AgentLifecycleService, AgentsService } from '@app/agents';
import type { ExpectedVersions } from '@app/kernel';
import { SnapshotsService } from '@app/platform/database';
import { type Principal, WorkspaceStore } from '@app/workspace';
import { RequireAllAgents, RequireLive, RequireRecentSignIn, RequireScopes } from '../http/access.decorators.js';
import { answered, created } from '../http/answers.js';
import { StoredDefinition, type SubmittedDefinition } from '../http/definition-body.pipe.js';
import { ListPagesService, type PagedList } from '../http/list-pages.service.js';
import { CurrentPrincipal, IfMatch, PathId, QueryParameters } from '../http/request-decorators.js';
import { IDEMPOTENCY_PROBLEMS } from '../http/route-inputs.js';
import { ETAG_HEADER, Operation, Tag } from '../openapi/operation.js';
import { AgentChangesService } from './agent-changes.service.js';
import { AgentReaderService } from './agent-reader.service.js';
import {
  AgentResource,
  agentFilter,
  CreatedAgentResource,
  listedAgents,
  ListAgentsQuery,
  NewAgentQuery,
} from './agents.api.js';

const NEW_AGENT_EXAMPLE = {
  name: 'greeter',
  description: '',
  production_version: 1,
  latest_version: 1,
  triggers: [],
  project: null,
  mcp_tool: null,
  budget: null,
  warnings: [],
};

@Tag('Agents')
@Controller('v1/agents')
export class AgentsController {
  constructor(
    private readonly agents: AgentsService,
    private readonly lifecycle: AgentLifecycleService,
    private readonly changes: AgentChangesService,
    private readonly workspaces: WorkspaceStore,
    private readonly pages: ListPagesService,
    private readonly snapshots: SnapshotsService,
    private readonly reader: AgentReaderService,
  ) {}

  @Get()
  @RequireScopes('agents:read')
  @Operation('List agents', {
    description: 'Lists the agents of the workspace. Archived agents are listed only with `status=archived`.',
    200: { description: 'One page of agents.', page: AgentResource },
  })
  listAgents(
    @CurrentPrincipal() principal: Principal,
    @QueryParameters() query: ListAgentsQuery,
  ): Promise<PagedList<AgentResource>> {
    return this.snapshots.read(async () => {
      const workspace = await this.workspaces.get(principal.workspaceId);
      return this.pages.answer(query, {
        list: 'agents',
        workspaceId: workspace.id,
        filters: agentFilter(query),
        read: (page) => this.reader.list(workspace, { ...page, ...listedAgents(query, principal) }),
        present: (agent) => agent,
      });
    });
  }

  @Post()
  @RequireScopes('agents:write')
  @RequireAllAgents()
  @RequireLive()
  @RequireRecentSignIn()
  @Operation('Create an agent', {
    description:
      'Creates an agent whose version 1 is the definition, and puts this version into production. Only this ' +
      'response contains the webhook secret of the agent.',
    201: {
      description: 'The new agent.',
      type: CreatedAgentResource,
      example: NEW_AGENT_EXAMPLE,
      location: 'Address of the agent.',
    },
    problems: [...IDEMPOTENCY_PROBLEMS, 'name_taken'],
  })
  async createAgent(
    @CurrentPrincipal() principal: Principal,
    @StoredDefinition() { definition, claim }: SubmittedDefinition,
    @QueryParameters() { project, paused }: NewAgentQuery,
    @Res({ passthrough: true }) response: Response,
  ): Promise<CreatedAgentResource> {
    const workspace = await this.workspaces.get(principal.workspaceId);
    const creation = { claim: claim(), project, isPaused: paused };
    const made = answered(response, await this.agents.create(principal, definition, creation));
    return created(response, `/v1/agents/${made.agent.id}`, await this.reader.presentCreated(made, workspace));
  }

  @Get(':id')
  @RequireScopes('agents:read')
  @Operation('Get an agent', {
    description: 'Returns the agent, even if it is archived. Send its `ETag` as `If-Match` with a later change.',
    200: { description: 'The agent.', type: AgentResource, headers: ETAG_HEADER },
  })
  getAgent(
    @CurrentPrincipal() principal: Principal,
    @PathId('id', 'agent') id: string,
    @Res({ passthrough: true }) response: Response,
  ): Promise<AgentResource> {
    return this.changes.read(principal, response, () => this.agents.get(principal.workspaceId, id));
  }

  @Post(':id/pause')
  @RequireScopes('agents:write')
  @Operation('Pause an agent', {
    description:
      'Stops the triggers: webhook calls are rejected with 409 `agent_paused`; e-mails, schedules and polls ' +
      'start no runs. The API can still start runs, and current runs continue. Pausing a paused agent changes ' +
      'nothing.',
    200: { description: 'The agent.', type: AgentResource, headers: ETAG_HEADER },
    problems: ['agent_archived'],
  })
  pauseAgent(
    @CurrentPrincipal() actor: Principal,
    @PathId('id', 'agent') id: string,
    @IfMatch() expected: ExpectedVersions,
    @Res({ passthrough: true }) response: Response,
  ): Promise<AgentResource> {
    return this.changes.answer(actor, { expected, response }, (is) => this.lifecycle.pause(actor, id, is));
  }

  @Post(':id/resume')
  @RequireScopes('agents:write')
  @RequireLive()
  @Operation('Resume an agent', {
    description: 'Enables the triggers of a paused agent again. Resuming an active agent changes nothing.',
    200: { description: 'The agent.', type: AgentResource, headers: ETAG_HEADER },
    problems: ['agent_archived'],
  })
  resumeAgent(
    @CurrentPrincipal() actor: Principal,
    @PathId('id', 'agent') id: string,
    @IfMatch() expected: ExpectedVersions,
    @Res({ passthrough: true }) response: Response,
  ): Promise<AgentResource> {
    return this.changes.answer(actor, { expected, response }, (is) => this.lifecycle.resume(actor, id, is));
  }

  @Delete(':id')
  @RequireScopes('agents:write')
  @RequireLive()
  @Operation('Archive an agent', {
    description:
      'Archives the agent permanently and frees its name. Queued runs and evaluations are cancelled; runs that have ' +
      'started continue until they end. The agent can still be read. Archiving an archived agent changes nothing.',
    200: { description: 'The agent.', type: AgentResource, headers: ETAG_HEADER },
  })
  archiveAgent(
    @CurrentPrincipal() actor: Principal,
    @PathId('id', 'agent') id: string,
    @IfMatch() expected: ExpectedVersions,
    @Res({ passthrough: true }) response: Response,
  ): Promise<AgentResource> {
    return this.changes.answer(actor, { expected, response }, (is) => this.lifecycle.archive(actor, id, is));
  }
}

import { Controller, Delete, Get } from '@nestjs/common';
import { AgentsService } from '@app/agents';
import { presentEntry, type StateOwner, StateService } from '@app/runs';
import type { Principal } from '@app/workspace';
import { RequireLive, RequireScopes } from '../http/access.decorators.js';
import { ListPagesService } from '../http/list-pages.service.js';
import { CurrentPrincipal, PathId, QueryParameters } from '../http/request-decorators.js';
import { PAGE_PROBLEMS } from '../http/route-inputs.js';
import { Operation, Tag } from '../openapi/operation.js';
import { DeleteStateQuery, ListStateQuery, StatePageResource } from './state.api.js';

@Tag('Agents')
@Controller('v1')
export class StateController {
  constructor(
    private readonly agents: AgentsService,
    private readonly state: StateService,
    private readonly pages: ListPagesService,
  ) {}

  @Get('agents/:id/state')
  @RequireScopes('agents:read')
  @Operation('List the state of an agent', {
    description:
      'Lists the values that the agent keeps between its runs, in the order of their keys. All versions of the agent share them.',
    200: { description: 'One page of entries.', type: StatePageResource },
    problems: PAGE_PROBLEMS,
  })
  async listAgentState(
    @CurrentPrincipal() { workspaceId }: Principal,
    @PathId('id', 'agent') agentId: string,
    @QueryParameters() query: ListStateQuery,
  ): Promise<StatePageResource> {
    await this.agents.get(workspaceId, agentId);
    return this.readPage(`agents/${agentId}/state`, workspaceId, { kind: 'agent', agentId }, query);
  }

  @Delete('agents/:id/state')
  @RequireScopes('agents:write')
  @RequireLive()
  @Operation('Delete the state of an agent', {
    description:
      'Deletes one key, or all keys, of the state of the agent. Deleting a key that does not exist changes nothing.',
    204: { description: 'The key, or every key, no longer exists.' },
  })
  async deleteAgentState(
    @CurrentPrincipal() actor: Principal,
    @PathId('id', 'agent') agentId: string,
    @QueryParameters() { key }: DeleteStateQuery,
  ): Promise<void> {
    await this.agents.get(actor.workspaceId, agentId);
    await this.state.deleteState(actor, { kind: 'agent', agentId }, key);
  }

  @Get('workspace/state')
  @RequireScopes('agents:read')
  @Operation('List the state of the workspace', {
    description:
      'Lists the values that the agents of the workspace share between their runs, in the order of their keys.',
    200: { description: 'One page of entries.', type: StatePageResource },
    problems: PAGE_PROBLEMS,
  })
  listWorkspaceState(
    @CurrentPrincipal() { workspaceId }: Principal,
    @QueryParameters() query: ListStateQuery,
  ): Promise<StatePageResource> {
    return this.readPage('workspace/state', workspaceId, { kind: 'workspace' }, query);
  }

  @Delete('workspace/state')
  @RequireScopes('agents:write')
  @RequireLive()
  @Operation('Delete the state of the workspace', {
    description:
      'Deletes one key, or all keys, of the state that agents share. Deleting a key that does not exist changes nothing.',
    204: { description: 'The key, or every key, no longer exists.' },
  })
  deleteWorkspaceState(
    @CurrentPrincipal() actor: Principal,
    @QueryParameters() { key }: DeleteStateQuery,
  ): Promise<void> {
    return this.state.deleteState(actor, { kind: 'workspace' }, key);
  }

  private readPage(
    list: string,
    workspaceId: string,
    owner: StateOwner,
    { prefix, limit, cursor }: ListStateQuery,
  ): Promise<StatePageResource> {
    const read = (after: string) => this.state.readPage(workspaceId, owner, { prefix, after, limit });
    return this.pages.answerInKeyOrder(cursor, { list, workspaceId, filters: { prefix }, read, present: presentEntry });
  }
}

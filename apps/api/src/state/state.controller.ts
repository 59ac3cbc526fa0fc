import { Controller, Delete, Get } from '@nestjs/common';
import { AgentsService } from '@app/agents';
import { StateService } from '@app/runs';
import type { Principal } from '@app/workspace';
import { RequireScopes } from '../http/access.decorators.js';
import { CurrentPrincipal, PathId, QueryParameters } from '../http/request-decorators.js';
import { PAGE_PROBLEMS } from '../http/route-inputs.js';
import { Operation, Tag } from '../openapi/operation.js';
import { StatePagesService } from './state-pages.service.js';
import { DeleteStateQuery, ListStateQuery, StatePageResource } from './state.api.js';

@Tag('Agents')
@Controller('v1')
export class StateController {
  constructor(
    private readonly agents: AgentsService,
    private readonly state: StateService,
    private readonly pages: StatePagesService,
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
    return this.pages.readPage(workspaceId, { kind: 'agent', agentId }, query);
  }

  @Delete('agents/:id/state')
  @RequireScopes('agents:write')
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
    return this.pages.readPage(workspaceId, { kind: 'workspace' }, query);
  }

  @Delete('workspace/state')
  @RequireScopes('agents:write')
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
}

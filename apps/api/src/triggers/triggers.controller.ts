import { Controller, Get, Inject, Post, Res } from '@nestjs/common';
import type { Response } from 'express';
import { type AddressConfig, addressConfig } from '@app/platform/startup';
import { ScheduledRunsService, TriggerQueriesService } from '@app/triggers';
import type { Principal } from '@app/workspace';
import { RequireScopes } from '../http/access.decorators.js';
import { anyOrder, ListPagesService, type PagedList } from '../http/list-pages.service.js';
import {
  BodyClaim,
  type ClaimOf,
  CurrentPrincipal,
  PathId,
  PathName,
  QueryParameters,
} from '../http/request-decorators.js';
import { IDEMPOTENCY_PROBLEMS } from '../http/route-inputs.js';
import { Operation, Tag } from '../openapi/operation.js';
import { presentStart } from '../runs/run-starts.js';
import { RunResource } from '../runs/runs.api.js';
import {
  ListTriggerEventsQuery,
  presentTriggerEvent,
  presentTriggers,
  runNowRequest,
  TriggerEventResource,
  TriggerListResource,
} from './triggers.api.js';

@Tag('Triggers')
@Controller('v1/agents/:id')
export class TriggersController {
  constructor(
    private readonly triggers: TriggerQueriesService,
    private readonly schedules: ScheduledRunsService,
    private readonly pages: ListPagesService,
    @Inject(addressConfig.KEY) private readonly address: AddressConfig,
  ) {}

  @Get('triggers')
  @RequireScopes('agents:read')
  @Operation('List the triggers of an agent', {
    description: 'Returns all triggers of the production version with their health, all on one page.',
    200: { description: 'All triggers.', type: TriggerListResource },
  })
  async listTriggers(
    @CurrentPrincipal() { workspaceId }: Principal,
    @PathId('id', 'agent') agentId: string,
  ): Promise<TriggerListResource> {
    return presentTriggers(await this.triggers.list(workspaceId, agentId));
  }

  @Get('trigger-events')
  @RequireScopes('agents:read')
  @Operation('List trigger events', {
    description: 'Lists the events that arrived for the triggers of the agent, with outcome and run.',
    200: { description: 'One page of events.', page: TriggerEventResource },
  })
  listTriggerEvents(
    @CurrentPrincipal() { workspaceId }: Principal,
    @PathId('id', 'agent') agentId: string,
    @QueryParameters() query: ListTriggerEventsQuery,
  ): Promise<PagedList<TriggerEventResource>> {
    const { trigger: triggerId, outcome: outcomes } = query;
    return this.pages.answer(query, {
      list: `agents/${agentId}/trigger-events`,
      workspaceId,
      filters: { trigger: triggerId ?? null, outcome: anyOrder(outcomes) },
      read: (page) => this.triggers.events(workspaceId, agentId, { triggerId, outcomes }, page),
      present: presentTriggerEvent,
    });
  }

  @Post('triggers/:trigger_id/run')
  @RequireScopes('agents:run')
  @Operation('Run a schedule now', {
    description:
      'Starts a run with the input of the schedule, also while the agent is paused and regardless of `overlap`. The schedule itself ' +
      'does not change. A key of kind `test` starts a run in mode `test`.',
    202: { description: 'The accepted run.', type: RunResource, location: 'Address of the run.' },
    problems: [...IDEMPOTENCY_PROBLEMS, 'agent_archived', 'workspace_stopped', 'input_invalid', 'rate_limited'],
  })
  async runTriggerNow(
    @CurrentPrincipal() principal: Principal,
    @PathId('id', 'agent') agentId: string,
    @PathName('trigger_id', 'trigger', 'Id of the schedule in the definition.') triggerId: string,
    @BodyClaim() claimOf: ClaimOf,
    @Res({ passthrough: true }) response: Response,
  ): Promise<RunResource> {
    const request = runNowRequest(principal, agentId, triggerId, claimOf({}));
    return presentStart(response, await this.schedules.runNow(request), this.address.consoleUrl);
  }
}

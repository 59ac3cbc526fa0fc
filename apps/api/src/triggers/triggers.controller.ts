import { Controller, Get, Post, Res } from '@nestjs/common';
import type { Response } from 'express';
import { ScheduledRuns, TriggerQueries } from '@app/triggers';
import type { Principal } from '@app/workspace';
import { RequireScopes } from '../http/access.decorators.js';
import { ListPages, type PagedList } from '../http/list-pages.js';
import { CurrentPrincipal, IdempotencyKey, PathId, PathName, QueryParameters } from '../http/request-decorators.js';
import type { RunResource } from '../runs/run.dto.js';
import { presentStart } from '../runs/run.presenter.js';
import { runNowRequest } from './run-now-request.js';
import { ListTriggerEventsQuery, type TriggerEventResource, type TriggerListResource } from './trigger.dto.js';
import { TRIGGER_OPERATIONS } from './trigger.operations.js';
import { presentTriggers, triggerEventList } from './trigger.presenter.js';

@Controller('v1/agents/:id')
export class TriggersController {
  constructor(
    private readonly triggers: TriggerQueries,
    private readonly schedules: ScheduledRuns,
    private readonly pages: ListPages,
  ) {}

  @Get('triggers')
  @RequireScopes('agents:read')
  @TRIGGER_OPERATIONS.list
  async list(
    @CurrentPrincipal() { workspaceId }: Principal,
    @PathId('id', 'agent') agentId: string,
  ): Promise<TriggerListResource> {
    return presentTriggers(await this.triggers.list(workspaceId, agentId));
  }

  @Get('trigger-events')
  @RequireScopes('agents:read')
  @TRIGGER_OPERATIONS.events
  events(
    @CurrentPrincipal() { workspaceId }: Principal,
    @PathId('id', 'agent') agentId: string,
    @QueryParameters() query: ListTriggerEventsQuery,
  ): Promise<PagedList<TriggerEventResource>> {
    return this.pages.answer(query, triggerEventList(this.triggers, workspaceId, agentId, query));
  }

  @Post('triggers/:trigger_id/run')
  @RequireScopes('agents:run')
  @TRIGGER_OPERATIONS.runNow
  async runNow(
    @CurrentPrincipal() principal: Principal,
    @PathId('id', 'agent') agentId: string,
    @PathName('trigger_id', 'trigger') triggerId: string,
    @IdempotencyKey() key: string | undefined,
    @Res({ passthrough: true }) response: Response,
  ): Promise<RunResource> {
    return presentStart(response, await this.schedules.runNow(runNowRequest(principal, agentId, triggerId, key)));
  }
}

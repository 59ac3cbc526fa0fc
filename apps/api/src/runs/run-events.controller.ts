import { Controller, Get, Req, Res } from '@nestjs/common';
import type { Response } from 'express';
import type { Principal } from '@app/workspace';
import { RequireScopes } from '../http/access.decorators.js';
import type { ApiRequest } from '../http/api-request.js';
import { CurrentPrincipal, PathId, QueryParameters } from '../http/request-decorators.js';
import { LiveView } from './live-view.service.js';
import { StepsAfterQuery } from './run.dto.js';
import { RUN_EVENT_OPERATIONS } from './run-events.operations.js';

@Controller('v1/runs/:id/events')
export class RunEventsController {
  constructor(private readonly live: LiveView) {}

  @Get()
  @RequireScopes('runs:read')
  @RUN_EVENT_OPERATIONS.follow
  async follow(
    @CurrentPrincipal() { workspaceId }: Principal,
    @PathId('id', 'run') runId: string,
    @QueryParameters() { after_n }: StepsAfterQuery,
    @Req() request: ApiRequest,
    @Res() response: Response,
  ): Promise<void> {
    await this.live.serve(request, response, { workspaceId, runId, afterN: after_n });
  }
}

import { Controller, Get, Post, Req, Res } from '@nestjs/common';
import { ApiHeader } from '@nestjs/swagger';
import type { Response } from 'express';
import { presentRun, presentTrace, RunCancellation, RunQueries } from '@app/runs';
import type { Principal } from '@app/workspace';
import { RequireScopes, RequireUnlimited } from '../http/access.decorators.js';
import { ListPages, type PagedList } from '../http/list-pages.js';
import type { ApiRequest } from '../http/request-context.js';
import { CurrentPrincipal, OptionalJsonBody, PathId, QueryParameters } from '../http/request-decorators.js';
import { Operation, Tag } from '../openapi/operation.js';
import { LiveView } from './live-view.service.js';
import { RunReader } from './run-reader.service.js';
import {
  CancelRunBody,
  cursorFilters,
  EVENTS_EXAMPLE,
  LAST_EVENT_ID,
  ListRunsQuery,
  RevealQuery,
  runFilter,
  RunResource,
  StepsAfterQuery,
  TraceQuery,
  TraceResource,
} from './runs.api.js';

@Tag('Runs')
@Controller('v1/runs')
export class RunsController {
  constructor(
    private readonly queries: RunQueries,
    private readonly reader: RunReader,
    private readonly cancellation: RunCancellation,
    private readonly live: LiveView,
    private readonly pages: ListPages,
  ) {}

  @Get()
  @RequireScopes('runs:read')
  @Operation('List runs', { 200: { description: 'One page of runs.', page: RunResource } })
  listRuns(
    @CurrentPrincipal() { workspaceId }: Principal,
    @QueryParameters() query: ListRunsQuery,
  ): Promise<PagedList<RunResource>> {
    return this.pages.answer(query, {
      list: 'runs',
      workspaceId,
      filters: cursorFilters(query),
      read: (page) => this.queries.listWithApprovals(workspaceId, runFilter(query), page),
      present: presentRun,
    });
  }

  @Get(':id')
  @RequireScopes('runs:read')
  @Operation('A run', { 200: { description: 'The run.', type: RunResource }, problems: ['admin_required'] })
  async getRun(
    @CurrentPrincipal() principal: Principal,
    @PathId('id', 'run') id: string,
    @QueryParameters() query: RevealQuery,
  ): Promise<RunResource> {
    return presentRun(await this.reader.get(principal, id, query));
  }

  @Get(':id/trace')
  @RequireScopes('runs:read')
  @Operation('What a run has done so far', {
    200: { description: 'The steps, in order.', type: TraceResource },
    problems: ['admin_required'],
  })
  async getRunTrace(
    @CurrentPrincipal() principal: Principal,
    @PathId('id', 'run') id: string,
    @QueryParameters() query: TraceQuery,
  ): Promise<TraceResource> {
    return presentTrace(await this.reader.trace(principal, id, query), query.after_n);
  }

  @Post(':id/cancel')
  @RequireUnlimited('runs:cancel')
  @Operation('Cancel a run that has not ended', {
    description: 'Nothing further is dispatched; a write that had been sent is recorded with its outcome.',
    200: { description: 'The cancelled run, also where it was cancelled before.', type: RunResource },
    problems: ['run_not_cancellable'],
  })
  async cancelRun(
    @CurrentPrincipal() { workspaceId, email }: Principal,
    @PathId('id', 'run') id: string,
    @OptionalJsonBody() { reason }: CancelRunBody,
  ): Promise<RunResource> {
    await this.cancellation.cancel(workspaceId, id, { reason: reason ?? null, actor: email });
    return presentRun(await this.queries.getWithApprovals(workspaceId, id));
  }

  @Get(':id/events')
  @RequireScopes('runs:read')
  @ApiHeader(LAST_EVENT_ID)
  @Operation('What a run does, as it does it', {
    description:
      'Server-Sent Events: `step` is a step of the trace, sent again whenever it changes; `status` is the status of the run, ' +
      'never ahead of the steps; `end` is the last event, after which the answer ends. Reconnecting with the id of the ' +
      'last event as `Last-Event-ID` misses nothing and may repeat steps that were under way. Changes are seen within about a ' +
      'quarter of a second (`RUN_EVENTS_POLL_MS`); statuses that a run passed through in between are left out. A ' +
      'comment every 15 seconds keeps quiet streams alive. A run that has ended sends everything and ends. What a model is ' +
      'writing comes as `text`: pieces of the turn at position `n`, without an id, and lost on whoever is not there; the ' +
      'whole turn follows as a `step`.',
    200: {
      description: 'The events.',
      content: { 'text/event-stream': { schema: { type: 'string' }, example: EVENTS_EXAMPLE } },
    },
    204: { description: 'The reader has seen the `end`: it need not reconnect.' },
  })
  async followRun(
    @CurrentPrincipal() { workspaceId }: Principal,
    @PathId('id', 'run') runId: string,
    @QueryParameters() { after_n }: StepsAfterQuery,
    @Req() request: ApiRequest,
    @Res() response: Response,
  ): Promise<void> {
    await this.live.serve(request, response, { workspaceId, runId, afterN: after_n });
  }
}

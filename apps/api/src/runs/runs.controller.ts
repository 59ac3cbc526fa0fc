import { Controller, Get, Post, Req, Res } from '@nestjs/common';
import { ApiHeader } from '@nestjs/swagger';
import type { Response } from 'express';
import { presentRun, presentTrace, RunCancellationService, RunQueriesService } from '@app/runs';
import type { Principal } from '@app/workspace';
import { RequireScopes, RequireUnlimited } from '../http/access.decorators.js';
import { ListPagesService, type PagedList } from '../http/list-pages.service.js';
import type { ApiRequest } from '../http/request-context.js';
import { CurrentPrincipal, OptionalJsonBody, PathId, QueryParameters } from '../http/request-decorators.js';
import { Operation, Tag } from '../openapi/operation.js';
import { LiveViewService } from './live-view.service.js';
import { RunReaderService } from './run-reader.service.js';
import {
  CancelRunBody,
  cursorFilters,
  ListRunsQuery,
  RevealQuery,
  runFilter,
  RunResource,
  StepsAfterQuery,
  TraceQuery,
} from './runs.api.js';
import { EVENTS_EXAMPLE, LAST_EVENT_ID, TraceResource } from './trace.api.js';

@Tag('Runs')
@Controller('v1/runs')
export class RunsController {
  constructor(
    private readonly queries: RunQueriesService,
    private readonly reader: RunReaderService,
    private readonly cancellation: RunCancellationService,
    private readonly live: LiveViewService,
    private readonly pages: ListPagesService,
  ) {}

  @Get()
  @RequireScopes('runs:read')
  @Operation('List runs', {
    description: 'Lists the runs of the workspace. Filters can be combined.',
    200: { description: 'One page of runs.', page: RunResource },
  })
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
  @Operation('Get a run', {
    description:
      'Returns the run with its approvals. Poll it until `ended_at` is set, or follow `GET /v1/runs/{id}/events`.',
    200: { description: 'The run.', type: RunResource },
    problems: ['admin_required'],
  })
  async getRun(
    @CurrentPrincipal() principal: Principal,
    @PathId('id', 'run') id: string,
    @QueryParameters() query: RevealQuery,
  ): Promise<RunResource> {
    return presentRun(await this.reader.get(principal, id, query));
  }

  @Get(':id/trace')
  @RequireScopes('runs:read')
  @Operation('Get the trace of a run', {
    description: 'Returns the recorded steps of the run, up to now. A trace never contains secrets.',
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
  @Operation('Cancel a run', {
    description:
      'Cancels a run that has not ended, with its open approvals. No further call begins; a write that was sent is recorded with its ' +
      'outcome. A cancelled run is returned unchanged; any other ended run is refused with 409. This call is not rate limited.',
    200: { description: 'The cancelled run.', type: RunResource },
    problems: ['run_not_cancellable'],
  })
  async cancelRun(
    @CurrentPrincipal() { workspaceId, email }: Principal,
    @PathId('id', 'run') id: string,
    @OptionalJsonBody() { reason }: CancelRunBody,
  ): Promise<RunResource> {
    await this.cancellation.cancelRun(workspaceId, id, { reason: reason ?? null, actor: email });
    return presentRun(await this.queries.getWithApprovals(workspaceId, id));
  }

  @Get(':id/events')
  @RequireScopes('runs:read')
  @ApiHeader(LAST_EVENT_ID)
  @Operation('Follow a run', {
    description:
      'Streams the run as Server-Sent Events. `step`: a step of the trace, sent again when it changes. `status`: the status of the ' +
      'run, never ahead of its steps. `text`: a piece of the text that a model is writing, without an id; the whole turn follows ' +
      'as a `step`. `end`: the last event. Reconnect with the id of the last event as `Last-Event-ID`: no step is missed, and ' +
      'steps in progress may be repeated. Changes appear within a quarter of a second. A comment every 15 ' +
      'seconds keeps the connection open. The stream of an ended run sends all steps and ends.',
    200: {
      description: 'The stream of events.',
      content: { 'text/event-stream': { schema: { type: 'string' }, example: EVENTS_EXAMPLE } },
    },
    204: { description: 'The reader has received `end` and need not reconnect.' },
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

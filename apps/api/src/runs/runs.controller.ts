import { Controller, Get, Inject, Post, Req, Res } from '@nestjs/common';
import { ApiExtraModels, ApiHeader } from '@nestjs/swagger';
import type { Response } from 'express';
import { type AddressConfig, addressConfig } from '@app/platform/startup';
import { presentPlan, presentRun, RunIntakeService, RunPlansService, RunQueriesService } from '@app/runs';
import type { Principal } from '@app/workspace';
import { RequireScopes, RequireUnlimited } from '../http/access.decorators.js';
import { ListPagesService, type PagedList } from '../http/list-pages.service.js';
import type { ApiRequest } from '../http/request-context.js';
import { CurrentPrincipal, OptionalJsonBody, PathId, PathNumber, QueryParameters } from '../http/request-decorators.js';
import { Operation, Tag } from '../openapi/operation.js';
import { LiveViewService } from './live-view.service.js';
import { cursorFilters, ListRunsQuery, runFilter } from './run-filters.api.js';
import { type ReadRun, RunReaderService } from './run-reader.service.js';
import {
  AskingRunResource,
  CancelRunBody,
  RevealQuery,
  RunResource,
  StepsAfterQuery,
  tracePart,
  TraceQuery,
} from './runs.api.js';
import { RunPlanResource } from './run-plan.api.js';
import { TranscriptQuery, TranscriptResource } from './transcript.api.js';
import { LAST_EVENT_ID, RUN_EVENT_EXAMPLES, TraceResource, TraceStepResource } from './trace.api.js';

@Tag('Runs')
@ApiExtraModels(AskingRunResource)
@Controller('v1/runs')
export class RunsController {
  constructor(
    private readonly queries: RunQueriesService,
    private readonly reader: RunReaderService,
    private readonly intake: RunIntakeService,
    private readonly plans: RunPlansService,
    private readonly live: LiveViewService,
    private readonly pages: ListPagesService,
    @Inject(addressConfig.KEY) private readonly address: AddressConfig,
  ) {}

  @Get()
  @RequireScopes('runs:read')
  @Operation('List runs', {
    description: 'Lists the runs of the workspace. Filters can be combined.',
    200: { description: 'One page of runs.', page: RunResource },
  })
  listRuns(
    @CurrentPrincipal() principal: Principal,
    @QueryParameters() query: ListRunsQuery,
  ): Promise<PagedList<RunResource>> {
    return this.pages.answer(query, {
      list: 'runs',
      workspaceId: principal.workspaceId,
      filters: cursorFilters(query),
      read: (page) => this.reader.list(principal, runFilter(query), page),
      present: (run) => this.shown(run),
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
    return this.shown(await this.reader.get(principal, id, query));
  }

  @Get(':id/trace')
  @RequireScopes('runs:read')
  @Operation('Get the trace of a run', {
    description:
      'Returns the steps that the run has recorded so far. With `limit`, send `next_after_n` as `after_n` to get the ' +
      'following steps. A trace never contains secrets. `TRACE_RETENTION_DAYS` (default 30 days) after the end of the run, its steps are deleted.',
    200: { description: 'The steps, in order.', type: TraceResource },
    problems: ['admin_required'],
  })
  getRunTrace(
    @CurrentPrincipal() principal: Principal,
    @PathId('id', 'run') id: string,
    @QueryParameters() query: TraceQuery,
  ): Promise<TraceResource> {
    return this.reader.trace(principal, id, tracePart(query), query);
  }

  @Get(':id/trace/:n')
  @RequireScopes('runs:read')
  @Operation('Get a step of a trace', {
    description:
      'Returns one step with all of its fields. Use it for the details of a step from a trace with `fields=summary`.',
    200: { description: 'The step.', type: TraceStepResource },
    problems: ['admin_required'],
  })
  getRunTraceStep(
    @CurrentPrincipal() principal: Principal,
    @PathId('id', 'run') id: string,
    @PathNumber('n', 'step', 'Position of the step in the trace, from 1.') n: number,
    @QueryParameters() query: RevealQuery,
  ): Promise<TraceStepResource> {
    return this.reader.step(principal, id, n, query);
  }

  @Get(':id/transcript')
  @RequireScopes('runs:read')
  @Operation('Get the transcript of a run', {
    description:
      'Returns what the run sent to models, and their answers: one entry for each step of the type `model_call`. Each ' +
      'entry has only the messages that were added since the turn before. With `TRACE_MESSAGES=off`, only answers are recorded.',
    200: { description: 'The turns, in order.', type: TranscriptResource },
    problems: ['admin_required'],
  })
  getRunTranscript(
    @CurrentPrincipal() principal: Principal,
    @PathId('id', 'run') id: string,
    @QueryParameters() query: TranscriptQuery,
  ): Promise<TranscriptResource> {
    return this.reader.transcript(principal, id, query);
  }

  @Get(':id/plan')
  @RequireScopes('runs:read')
  @Operation('Get the decisions of a run', {
    description: 'Returns which steps the plan has carried out, and what its conditions were, computed from the trace.',
    200: { description: 'The decisions so far.', type: RunPlanResource },
  })
  async getRunPlan(
    @CurrentPrincipal() { workspaceId }: Principal,
    @PathId('id', 'run') id: string,
  ): Promise<RunPlanResource> {
    return presentPlan(await this.plans.get(workspaceId, id));
  }

  @Post(':id/cancel')
  @RequireUnlimited('runs:cancel')
  @Operation('Cancel a run', {
    description:
      'Cancels a run that has not ended, and its open approvals. No further call begins. If a write operation ' +
      'was already sent, its outcome is recorded. A cancelled run is returned unchanged. If the run has ended ' +
      'with another status, the call is rejected with 409 `run_not_cancellable`.',
    200: {
      description: 'The cancelled run.',
      type: RunResource,
      example: { status: 'cancelled', output: null, cancel_reason: 'Wrong customer' },
    },
    problems: ['run_not_cancellable'],
  })
  async cancelRun(
    @CurrentPrincipal() { workspaceId, email }: Principal,
    @PathId('id', 'run') id: string,
    @OptionalJsonBody() { reason }: CancelRunBody,
  ): Promise<RunResource> {
    await this.intake.cancelRun(workspaceId, id, { reason: reason ?? null, actor: email });
    return this.shown(await this.queries.getWithApprovals(workspaceId, id));
  }

  @Get(':id/events')
  @RequireScopes('runs:read')
  @ApiHeader(LAST_EVENT_ID)
  @Operation('Follow a run', {
    description:
      'Streams the run as Server-Sent Events. In the schema of an event, `type` is the line `event:` and `data` is the ' +
      'JSON of the line `data:`. Reconnect with the id of the last event as ' +
      '`Last-Event-ID`: no step is missed, and steps in progress may be repeated. Changes appear within a quarter of a ' +
      'second. A comment every 15 seconds keeps the connection open. The stream of an ended run sends all steps and ends.',
    200: {
      description: 'The stream of events.',
      content: {
        'text/event-stream': { schema: { $ref: '#/components/schemas/RunEvent' }, examples: RUN_EVENT_EXAMPLES },
      },
    },
    204: { description: 'The client has already received `end` and need not reconnect.' },
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

  private shown(run: ReadRun): RunResource {
    return presentRun(run, this.address.consoleUrl);
  }
}

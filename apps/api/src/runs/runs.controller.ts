import { Controller, Get, HttpCode, Post } from '@nestjs/common';
import { RunCancellation, RunQueries } from '@app/runs';
import type { Principal } from '@app/workspace';
import { RequireScopes } from '../http/access.decorators.js';
import { ListPages, type PagedList } from '../http/list-pages.js';
import { CurrentPrincipal, OptionalJsonBody, PathId, QueryParameters } from '../http/request-decorators.js';
import { CancelRunBody, ListRunsQuery, type RunResource, TraceQuery } from './run.dto.js';
import { RUN_OPERATIONS } from './run.operations.js';
import { presentRun } from './run.presenter.js';
import { runList } from './run-requests.js';
import type { TraceResource } from './trace.dto.js';
import { presentTrace } from './trace.presenter.js';

@Controller('v1/runs')
export class RunsController {
  constructor(
    private readonly queries: RunQueries,
    private readonly cancellation: RunCancellation,
    private readonly pages: ListPages,
  ) {}

  @Get()
  @RequireScopes('runs:read')
  @RUN_OPERATIONS.list
  list(@CurrentPrincipal() actor: Principal, @QueryParameters() query: ListRunsQuery): Promise<PagedList<RunResource>> {
    return this.pages.answer(query, runList(this.queries, actor.workspaceId, query));
  }

  @Get(':id')
  @RequireScopes('runs:read')
  @RUN_OPERATIONS.get
  async get(@CurrentPrincipal() { workspaceId }: Principal, @PathId('id', 'run') id: string): Promise<RunResource> {
    return presentRun(await this.queries.getWithApprovals(workspaceId, id));
  }

  @Get(':id/trace')
  @RequireScopes('runs:read')
  @RUN_OPERATIONS.trace
  async trace(
    @CurrentPrincipal() { workspaceId }: Principal,
    @PathId('id', 'run') id: string,
    @QueryParameters() { after_n }: TraceQuery,
  ): Promise<TraceResource> {
    return presentTrace(await this.queries.trace(workspaceId, id, after_n), after_n);
  }

  @Post(':id/cancel')
  @HttpCode(200)
  @RequireScopes('runs:cancel')
  @RUN_OPERATIONS.cancel
  async cancel(
    @CurrentPrincipal() { workspaceId, email }: Principal,
    @PathId('id', 'run') id: string,
    @OptionalJsonBody() { reason }: CancelRunBody,
  ): Promise<RunResource> {
    await this.cancellation.cancel(workspaceId, id, { reason: reason ?? null, actor: email });
    return presentRun(await this.queries.getWithApprovals(workspaceId, id));
  }
}

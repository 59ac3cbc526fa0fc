import { Controller, Get, HttpCode, Post } from '@nestjs/common';
import { RunCancellation, RunQueries } from '@app/runs';
import type { Principal } from '@app/workspace';
import { RequireScopes, RequireUnlimited } from '../http/access.decorators.js';
import { ListPages, type PagedList } from '../http/list-pages.js';
import { CurrentPrincipal, OptionalJsonBody, PathId, QueryParameters } from '../http/request-decorators.js';
import { CancelRunBody, ListRunsQuery, RevealQuery, type RunResource, TraceQuery } from './run.dto.js';
import { RUN_OPERATIONS } from './run.operations.js';
import { RunReader } from './run-reader.service.js';
import { presentRun } from './run.presenter.js';
import { runList } from './run-requests.js';
import type { TraceResource } from './trace.dto.js';
import { presentTrace } from './trace.presenter.js';

@Controller('v1/runs')
export class RunsController {
  constructor(
    private readonly queries: RunQueries,
    private readonly reader: RunReader,
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
  async get(
    @CurrentPrincipal() principal: Principal,
    @PathId('id', 'run') id: string,
    @QueryParameters() query: RevealQuery,
  ): Promise<RunResource> {
    return presentRun(await this.reader.get(principal, id, query));
  }

  @Get(':id/trace')
  @RequireScopes('runs:read')
  @RUN_OPERATIONS.trace
  async trace(
    @CurrentPrincipal() principal: Principal,
    @PathId('id', 'run') id: string,
    @QueryParameters() query: TraceQuery,
  ): Promise<TraceResource> {
    return presentTrace(await this.reader.trace(principal, id, query), query.after_n);
  }

  @Post(':id/cancel')
  @HttpCode(200)
  @RequireUnlimited('runs:cancel')
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

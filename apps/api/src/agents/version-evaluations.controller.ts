import { Controller, Get, Post, Res } from '@nestjs/common';
import type { Response } from 'express';
import { VersionEvaluations } from '@app/evaluation';
import type { IdempotencyClaim, Principal } from '@app/workspace';
import { RequireScopes } from '../http/access.decorators.js';
import { ListPages, type PagedList } from '../http/list-pages.js';
import { PageQuery } from '../http/page.dto.js';
import { CurrentPrincipal, EmptyBodyClaim, PathId, PathVersion, QueryParameters } from '../http/request-decorators.js';
import type { EvaluationResource } from './evaluation.dto.js';
import { EVALUATION_OPERATIONS } from './evaluation.operations.js';
import { evaluationList, presentBegun } from './evaluation.presenter.js';

@Controller('v1/agents/:id/versions/:n')
export class VersionEvaluationsController {
  constructor(
    private readonly evaluations: VersionEvaluations,
    private readonly pages: ListPages,
  ) {}

  @Post('evaluate')
  @RequireScopes('agents:run')
  @EVALUATION_OPERATIONS.evaluate
  async evaluate(
    @CurrentPrincipal() principal: Principal,
    @PathId('id', 'agent') id: string,
    @PathVersion('n') n: number,
    @EmptyBodyClaim() claim: IdempotencyClaim | undefined,
    @Res({ passthrough: true }) response: Response,
  ): Promise<EvaluationResource> {
    return presentBegun(response, await this.evaluations.evaluate(principal, id, n, claim));
  }

  @Get('evaluations')
  @RequireScopes('agents:read')
  @EVALUATION_OPERATIONS.list
  list(
    @CurrentPrincipal() { workspaceId }: Principal,
    @PathId('id', 'agent') agentId: string,
    @PathVersion('n') version: number,
    @QueryParameters() query: PageQuery,
  ): Promise<PagedList<EvaluationResource>> {
    return this.pages.answer(query, evaluationList(this.evaluations, { workspaceId, agentId, version }));
  }
}

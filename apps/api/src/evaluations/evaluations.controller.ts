import { Controller, Get, Post, Res } from '@nestjs/common';
import type { Response } from 'express';
import { VersionEvaluations } from '@app/evaluation';
import type { IdempotencyClaim, Principal } from '@app/workspace';
import { RequireScopes } from '../http/access.decorators.js';
import { accepted, answered } from '../http/answers.js';
import { ListPages, type PagedList, PageQuery } from '../http/list-pages.js';
import { CurrentPrincipal, EmptyBodyClaim, PathId, PathVersion, QueryParameters } from '../http/request-decorators.js';
import { IDEMPOTENCY_PROBLEMS } from '../http/route-inputs.js';
import { Operation, Tag } from '../openapi/operation.js';
import { EvaluationResource } from './evaluations.api.js';
import { presentEvaluation } from './evaluations.view.js';

@Tag('Agents')
@Controller('v1')
export class EvaluationsController {
  constructor(
    private readonly evaluations: VersionEvaluations,
    private readonly pages: ListPages,
  ) {}

  @Post('agents/:id/versions/:n/evaluate')
  @RequireScopes('agents:run')
  @Operation('Test a version against its evaluation set', {
    description:
      'Every case of the definition, as often as its `trials` say, and every recorded run of `from_runs` becomes a run in mode `test` with a ' +
      'trigger of type `evaluation`. Nobody is asked for approval: a run that would ask ends there. A version without an evaluation set is 422 ' +
      '`definition_invalid`.',
    202: { description: 'The new evaluation.', type: EvaluationResource, location: 'The evaluation.' },
    200: {
      description: 'The one of this version that is under way.',
      type: EvaluationResource,
      location: 'The evaluation.',
    },
    problems: [...IDEMPOTENCY_PROBLEMS, 'definition_invalid', 'agent_archived', 'workspace_stopped'],
  })
  async evaluateAgentVersion(
    @CurrentPrincipal() principal: Principal,
    @PathId('id', 'agent') id: string,
    @PathVersion('n') n: number,
    @EmptyBodyClaim() claim: IdempotencyClaim | undefined,
    @Res({ passthrough: true }) response: Response,
  ): Promise<EvaluationResource> {
    const begun = answered(response, await this.evaluations.evaluate(principal, id, n, claim));
    return accepted(response, `/v1/evaluations/${begun.evaluation.id}`, presentEvaluation(begun), begun.created);
  }

  @Get('agents/:id/versions/:n/evaluations')
  @RequireScopes('agents:read')
  @Operation('List the evaluations of a version', {
    description:
      'Each with its results so far. A page ends before `limit` where its evaluations come to 10 000 trials together; `next_cursor` goes on.',
    200: { description: 'One page of evaluations.', page: EvaluationResource },
  })
  listVersionEvaluations(
    @CurrentPrincipal() { workspaceId }: Principal,
    @PathId('id', 'agent') agentId: string,
    @PathVersion('n') version: number,
    @QueryParameters() query: PageQuery,
  ): Promise<PagedList<EvaluationResource>> {
    const list = `agents/${agentId}/versions/${version}/evaluations`;
    const read = this.evaluations.list.bind(this.evaluations, { workspaceId, agentId, version });
    return this.pages.answer(query, { list, workspaceId, read, present: presentEvaluation });
  }

  @Get('evaluations/:id')
  @RequireScopes('agents:read')
  @Operation('An evaluation with its results so far', {
    200: { description: 'The evaluation.', type: EvaluationResource },
  })
  async getEvaluation(
    @CurrentPrincipal() { workspaceId }: Principal,
    @PathId('id', 'evaluation') id: string,
  ): Promise<EvaluationResource> {
    return presentEvaluation(await this.evaluations.get(workspaceId, id));
  }

  @Post('evaluations/:id/cancel')
  @RequireScopes('runs:cancel')
  @Operation('End an evaluation without a verdict', {
    description: 'Its runs are cancelled. What has ended stays as it is.',
    200: { description: 'The evaluation.', type: EvaluationResource },
  })
  async cancelEvaluation(
    @CurrentPrincipal() principal: Principal,
    @PathId('id', 'evaluation') id: string,
  ): Promise<EvaluationResource> {
    return presentEvaluation(await this.evaluations.cancel(principal, id));
  }
}

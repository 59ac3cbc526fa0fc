import { Controller, Get, Inject, Post, Res } from '@nestjs/common';
import type { Response } from 'express';
import { type EvaluationWithTrials, VersionEvaluationsService } from '@app/evaluation';
import { type AddressConfig, addressConfig } from '@app/platform/startup';
import type { IdempotencyClaim, Principal } from '@app/workspace';
import { RequireScopes } from '../http/access.decorators.js';
import { accepted, answered } from '../http/answers.js';
import { ListPagesService, type PagedList, PageQuery } from '../http/list-pages.service.js';
import { CurrentPrincipal, EmptyBodyClaim, PathId, PathVersion, QueryParameters } from '../http/request-decorators.js';
import { IDEMPOTENCY_PROBLEMS } from '../http/route-inputs.js';
import { Operation, Tag } from '../openapi/operation.js';
import { EvaluationResource } from './evaluations.api.js';
import { presentEvaluation } from './evaluations.view.js';

@Tag('Agents')
@Controller('v1')
export class EvaluationsController {
  constructor(
    private readonly evaluations: VersionEvaluationsService,
    private readonly pages: ListPagesService,
    @Inject(addressConfig.KEY) private readonly address: AddressConfig,
  ) {}

  @Post('agents/:id/versions/:n/evaluate')
  @RequireScopes('agents:run')
  @Operation('Evaluate a version', {
    description:
      'Runs the evaluation set of the version: each case runs `trials` times, and each recorded run of `from_runs` is ' +
      'replayed. The runs have mode `test` and a trigger of type `evaluation`. A run that needs an approval ends at that ' +
      'point. Follow the evaluation at `Location`. A version without an evaluation set is rejected with 422 ' +
      '`definition_invalid`, and an unknown fixture with 422 `unknown_reference`. If an evaluation of the version is in progress, it is returned with 200.',
    202: { description: 'The new evaluation.', type: EvaluationResource, location: 'Address of the evaluation.' },
    200: {
      description: 'The evaluation of this version that is in progress.',
      type: EvaluationResource,
      location: 'Address of the evaluation.',
    },
    problems: [
      ...IDEMPOTENCY_PROBLEMS,
      'definition_invalid',
      'input_invalid',
      'unknown_reference',
      'agent_archived',
      'workspace_stopped',
    ],
  })
  async evaluateAgentVersion(
    @CurrentPrincipal() principal: Principal,
    @PathId('id', 'agent') id: string,
    @PathVersion('n') n: number,
    @EmptyBodyClaim() claim: IdempotencyClaim | undefined,
    @Res({ passthrough: true }) response: Response,
  ): Promise<EvaluationResource> {
    const begun = answered(response, await this.evaluations.evaluate(principal, id, n, claim));
    return accepted(response, `/v1/evaluations/${begun.evaluation.id}`, this.shown(begun), begun.created);
  }

  @Get('agents/:id/versions/:n/evaluations')
  @RequireScopes('agents:read')
  @Operation('List the evaluations of a version', {
    description:
      'Lists the evaluations of the version with their results so far. A page has at most 10,000 trials, so it ' +
      'can have fewer than `limit` evaluations.',
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
    return this.pages.answer(query, { list, workspaceId, read, present: (evaluation) => this.shown(evaluation) });
  }

  @Get('evaluations/:id')
  @RequireScopes('agents:read')
  @Operation('Get an evaluation', {
    description: 'Returns the evaluation with its results so far. Poll it until `ended_at` is set.',
    200: { description: 'The evaluation.', type: EvaluationResource },
  })
  async getEvaluation(
    @CurrentPrincipal() { workspaceId }: Principal,
    @PathId('id', 'evaluation') id: string,
  ): Promise<EvaluationResource> {
    return this.shown(await this.evaluations.get(workspaceId, id));
  }

  @Post('evaluations/:id/cancel')
  @RequireScopes('runs:cancel')
  @Operation('Cancel an evaluation', {
    description:
      'Cancels the evaluation and its runs. The verdict of the gate is then `inconclusive`. An evaluation that ' +
      'has already ended is returned unchanged.',
    200: { description: 'The cancelled evaluation, or the unchanged ended evaluation.', type: EvaluationResource },
  })
  async cancelEvaluation(
    @CurrentPrincipal() principal: Principal,
    @PathId('id', 'evaluation') id: string,
  ): Promise<EvaluationResource> {
    return this.shown(await this.evaluations.cancel(principal, id));
  }

  private shown(evaluation: EvaluationWithTrials): EvaluationResource {
    return presentEvaluation(evaluation, this.address.consoleUrl);
  }
}

import { Controller, Get, HttpCode, Post } from '@nestjs/common';
import { VersionEvaluations } from '@app/evaluation';
import type { Principal } from '@app/workspace';
import { RequireScopes } from '../http/access.decorators.js';
import { CurrentPrincipal, PathId } from '../http/request-decorators.js';
import type { EvaluationResource } from './evaluation.dto.js';
import { EVALUATION_OPERATIONS } from './evaluation.operations.js';
import { presentEvaluation } from './evaluation.presenter.js';

@Controller('v1/evaluations/:id')
export class EvaluationsController {
  constructor(private readonly evaluations: VersionEvaluations) {}

  @Get()
  @RequireScopes('agents:read')
  @EVALUATION_OPERATIONS.get
  async get(
    @CurrentPrincipal() { workspaceId }: Principal,
    @PathId('id', 'evaluation') id: string,
  ): Promise<EvaluationResource> {
    return presentEvaluation(await this.evaluations.get(workspaceId, id));
  }

  @Post('cancel')
  @HttpCode(200)
  @RequireScopes('runs:cancel')
  @EVALUATION_OPERATIONS.cancel
  async cancel(
    @CurrentPrincipal() principal: Principal,
    @PathId('id', 'evaluation') id: string,
  ): Promise<EvaluationResource> {
    return presentEvaluation(await this.evaluations.cancel(principal, id));
  }
}

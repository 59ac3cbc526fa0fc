import { ModelChecksService } from '@app/runs';
import type { Principal } from '@app/workspace';
import { Controller, HttpCode, Post, Res } from '@nestjs/common';
import type { Response } from 'express';
import { RequireLive, RequireScopes } from '../http/access.decorators.js';
import { CurrentPrincipal, JsonBody } from '../http/request-decorators.js';
import { RequestLimitsService } from '../http/request-limits.service.js';
import { Operation, Tag } from '../openapi/operation.js';
import { CheckModelBody, ModelCheckResource, presentModelCheck } from './model-checks.api.js';

@Tag('Agents')
@Controller('v1/model-checks')
export class ModelChecksController {
  constructor(
    private readonly checks: ModelChecksService,
    private readonly limits: RequestLimitsService,
  ) {}

  @Post()
  @HttpCode(200)
  @RequireScopes('agents:write')
  @RequireLive()
  @Operation('Check a model', {
    description:
      'Sends one or two small requests to the model. The provider may charge for them. At most 10 checks a minute for each key.',
    200: { description: 'The result, also if the model failed.', type: ModelCheckResource },
    problems: ['unknown_reference', 'workspace_stopped'],
  })
  async checkModel(
    @CurrentPrincipal() actor: Principal,
    @JsonBody() { provider, name }: CheckModelBody,
    @Res({ passthrough: true }) response: Response,
  ): Promise<ModelCheckResource> {
    await this.limits.admitModelCheck(actor, response);
    return presentModelCheck(await this.checks.check(actor, { provider, name }));
  }
}

import { Controller, HttpCode, Param, Post, Res } from '@nestjs/common';
import type { Response } from 'express';
import { WebhookSecrets } from '@app/agents';
import type { Principal } from '@app/workspace';
import { RequireScopes, RequireWebhookSecret } from '../http/access.decorators.js';
import type { ApiRequest } from '../http/api-request.js';
import {
  CurrentPrincipal,
  CurrentRequest,
  PathId,
  KnownQueryParameters,
  type Rotation,
  RotationRequest,
} from '../http/request-decorators.js';
import { WebhookCalls } from './webhook-calls.service.js';
import { TriggerAgentQuery, type TriggerResultResource, type WebhookSecretResource } from './webhook.dto.js';
import { WEBHOOK_OPERATIONS } from './webhook.operations.js';
import { presentWebhookAnswer, presentWebhookSecret } from './webhook.presenter.js';

@Controller('v1/agents/:id')
export class WebhooksController {
  constructor(
    private readonly calls: WebhookCalls,
    private readonly secrets: WebhookSecrets,
  ) {}

  @Post('trigger')
  @RequireWebhookSecret()
  @WEBHOOK_OPERATIONS.trigger
  async trigger(
    // Not checked here: a malformed id is refused like a wrong secret.
    @Param('id') agentId: string,
    @KnownQueryParameters() { trigger }: TriggerAgentQuery,
    @CurrentRequest() request: ApiRequest,
    @Res({ passthrough: true }) response: Response,
  ): Promise<TriggerResultResource> {
    return presentWebhookAnswer(response, await this.calls.answer(request, response, agentId, trigger));
  }

  @Post('webhook-secret/rotate')
  @HttpCode(200)
  @RequireScopes('agents:write')
  @WEBHOOK_OPERATIONS.rotate
  async rotate(
    @CurrentPrincipal() actor: Principal,
    @PathId('id', 'agent') agentId: string,
    @RotationRequest() { graceSeconds, claim }: Rotation,
    @Res({ passthrough: true }) response: Response,
  ): Promise<WebhookSecretResource> {
    return presentWebhookSecret(response, agentId, await this.secrets.rotate(actor, agentId, graceSeconds, claim));
  }
}

import { Controller, Post, Res } from '@nestjs/common';
import type { Response } from 'express';
import { WebhookSecretsService } from '@app/agents';
import type { Principal } from '@app/workspace';
import { RequireScopes, RequireWebhookSecret } from '../http/access.decorators.js';
import { answered } from '../http/answers.js';
import type { ApiRequest } from '../http/request-context.js';
import {
  CurrentPrincipal,
  CurrentRequest,
  FORMER_STAY_VALID,
  KnownQueryParameters,
  PathId,
  PathText,
  type Rotation,
  RotationRequest,
} from '../http/request-decorators.js';
import { IDEMPOTENCY_PROBLEMS } from '../http/route-inputs.js';
import { Operation, Tag } from '../openapi/operation.js';
import { WebhookCallsService } from './webhook-calls.service.js';
import {
  presentWebhookAnswer,
  presentWebhookSecret,
  TriggerAgentQuery,
  TriggerResultResource,
  WEBHOOK_CALL,
  WebhookSecretResource,
} from './webhook-triggers.api.js';

@Tag('Triggers')
@Controller('v1/agents/:id')
export class WebhookTriggersController {
  constructor(
    private readonly calls: WebhookCallsService,
    private readonly secrets: WebhookSecretsService,
  ) {}

  @Post('trigger')
  @RequireWebhookSecret()
  @Operation('Call the webhook of an agent', {
    description:
      'Starts a run. The body is the input of the run, unless the webhook trigger maps the body to an input. Instead of ' +
      'the secret, a sender may send a signature that was created with the secret: `X-Hub-Signature-256` as GitHub does, ' +
      'or the headers of Standard Webhooks. A repeated delivery starts no second run: it is recognised by ' +
      '`Idempotency-Key`, else by `webhook-id`, else by `X-GitHub-Delivery`. A wrong secret and an unknown agent are both ' +
      'rejected with 401. A stopped workspace returns 503 with `Retry-After`, so that senders retry.',
    202: {
      description:
        'This call or an earlier delivery started a run, whose address is in `Location`, or the filter ignored the call.',
      type: TriggerResultResource,
      headers: { 'Idempotent-Replayed': '`true` if the same delivery had already arrived.' },
    },
    problems: [
      'invalid_webhook_secret',
      'agent_paused',
      'agent_archived',
      ...IDEMPOTENCY_PROBLEMS,
      'input_invalid',
      'rate_limited',
      { code: 'workspace_stopped', kind: 'unavailable' },
    ],
  })
  async triggerAgent(
    // Not validated: a malformed id returns the same error as a wrong secret.
    @PathText('id', 'Id of the agent.') agentId: string,
    @KnownQueryParameters() { trigger }: TriggerAgentQuery,
    @CurrentRequest(WEBHOOK_CALL) request: ApiRequest,
    @Res({ passthrough: true }) response: Response,
  ): Promise<TriggerResultResource> {
    return presentWebhookAnswer(response, await this.calls.answer(request, response, agentId, trigger));
  }

  @Post('webhook-secret/rotate')
  @RequireScopes('agents:write')
  @Operation('Rotate a webhook secret', {
    description:
      'Replaces the webhook secret of the agent. The previous secret stays valid for `grace_seconds`. ' +
      FORMER_STAY_VALID,
    200: { description: 'The new secret, shown once.', type: WebhookSecretResource },
    problems: ['agent_archived'],
  })
  async rotateAgentWebhookSecret(
    @CurrentPrincipal() actor: Principal,
    @PathId('id', 'agent') agentId: string,
    @RotationRequest() { graceSeconds, claim }: Rotation,
    @Res({ passthrough: true }) response: Response,
  ): Promise<WebhookSecretResource> {
    const { result } = answered(response, await this.secrets.rotate(actor, agentId, graceSeconds, claim));
    return presentWebhookSecret(agentId, result);
  }
}

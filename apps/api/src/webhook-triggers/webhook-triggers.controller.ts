import { Controller, Get, Inject, Options, Post, Res } from '@nestjs/common';
import type { Response } from 'express';
import { WebhookSecretsService } from '@app/agents';
import type { JsonObject } from '@app/kernel';
import { type RateLimitsConfig, rateLimitsConfig } from '@app/platform/rate-limits';
import type { Principal } from '@app/workspace';
import {
  Public,
  RequireLive,
  RequireRecentSignIn,
  RequireScopes,
  RequireVerifyToken,
  RequireWebhookSecret,
} from '../http/access.decorators.js';
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
import { WebhookAuthenticationService } from './webhook-authentication.service.js';
import { WebhookCallsService } from './webhook-calls.service.js';
import {
  presentChallenge,
  presentWebhookPermission,
  presentWebhookReply,
  presentWebhookSecret,
  protectAnswer,
  TriggerAgentQuery,
  TriggerResultResource,
  VerifyWebhookQuery,
  WEBHOOK_CALL,
  WEBHOOK_HANDSHAKE,
  WebhookSecretResource,
} from './webhook-triggers.api.js';

@Tag('Triggers')
@Controller('v1/agents/:id')
export class WebhookTriggersController {
  constructor(
    private readonly calls: WebhookCallsService,
    private readonly authentication: WebhookAuthenticationService,
    private readonly secrets: WebhookSecretsService,
    @Inject(rateLimitsConfig.KEY) private readonly limits: RateLimitsConfig,
  ) {}

  @Post('trigger')
  @RequireWebhookSecret('the webhook secret of the agent, a signature, or the proof that `auth` describes,')
  @Operation('Call the webhook of an agent', {
    description:
      'Starts a run. The body is the input of the run, unless the webhook trigger maps the body to an input. ' +
      'Instead of the secret, a sender can send a signature made with it: `X-Hub-Signature-256` as GitHub ' +
      'does, or the headers of Standard Webhooks. A sender can also authenticate as `auth` of a trigger ' +
      'requires; the call then reaches only the triggers whose `auth` it satisfies. A repeated delivery starts ' +
      'no second run: it is recognised by `Idempotency-Key`, `webhook-id`, `X-GitHub-Delivery`, or the ' +
      'delivery id of another supported sender. A wrong secret and an unknown agent are both rejected with ' +
      '401. If the trigger has `respond`, the response is the one that `respond` describes; if the run fails, 500 `run_failed`; if it does not end in time or waits for people, 202. While the ' +
      'workspace is stopped, the response is 503 with `Retry-After`.',
    202: {
      description:
        'This call or an earlier delivery started a run, whose address is in `Location`, or the filter ignored the call.',
      type: TriggerResultResource,
      headers: { 'Idempotent-Replayed': '`true` if the same delivery had already arrived.' },
    },
    200: {
      description:
        'The response that `respond` of the trigger describes, with any status from 200 to 599. Also the ' +
        'response to a `url_verification` of Slack.',
      content: {
        'application/json': { schema: {}, example: { total: 42 } },
        'text/plain': { schema: { type: 'string' }, example: 'Thank you' },
      },
    },
    problems: [
      'invalid_webhook_secret',
      'agent_paused',
      'agent_archived',
      ...IDEMPOTENCY_PROBLEMS,
      'input_invalid',
      'rate_limited',
      'run_failed',
      { code: 'workspace_stopped', kind: 'unavailable' },
    ],
  })
  async triggerAgent(
    // The id is not validated here, so that a malformed id gets the same error as a wrong secret.
    @PathText('id', 'Id of the agent.') agentId: string,
    @KnownQueryParameters() { trigger }: TriggerAgentQuery,
    @CurrentRequest(WEBHOOK_CALL) request: ApiRequest,
    @Res({ passthrough: true }) response: Response,
  ): Promise<TriggerResultResource | JsonObject | string> {
    // The headers are set before the call is handled, because error responses need them too.
    protectAnswer(response);
    return presentWebhookReply(response, await this.calls.answer(request, response, { agentId, trigger }));
  }

  @Get('trigger')
  @RequireVerifyToken()
  @Operation('Verify the address of a webhook', {
    description:
      'Meta calls this operation before it sends deliveries. If `hub.verify_token` is the verify token of a webhook ' +
      'trigger with the scheme `meta`, the response is the text of `hub.challenge`. No run is started.',
    200: {
      description: 'The challenge.',
      content: { 'text/plain': { schema: { type: 'string' }, example: '1158201444' } },
    },
    problems: ['invalid_webhook_secret'],
  })
  async verifyWebhook(
    @PathText('id', 'Id of the agent.') agentId: string,
    @KnownQueryParameters() query: VerifyWebhookQuery,
    @CurrentRequest({}) request: ApiRequest,
    @Res({ passthrough: true }) response: Response,
  ): Promise<string> {
    const { trigger, 'hub.verify_token': token = '', 'hub.challenge': challenge = '' } = query;
    await this.authentication.verifyMeta(request, response, { agentId, trigger }, token);
    return presentChallenge(response, challenge);
  }

  @Options('trigger')
  @Public()
  @Operation('Allow a sender of CloudEvents', {
    description:
      'Answers the handshake of CloudEvents webhooks, with which Azure Event Grid asks whether it may send events. ' +
      'Permits every origin: each delivery must prove that it knows the secret.',
    200: {
      description: 'The sender may send events. The body is empty.',
      content: { 'text/plain': { schema: { type: 'string' }, example: '' } },
      headers: {
        'WebHook-Allowed-Origin': 'The origin of the request.',
        'WebHook-Allowed-Rate': 'Deliveries a minute; `*`: no limit.',
      },
    },
  })
  allowWebhookSender(
    @PathText('id', 'Id of the agent.') _agentId: string,
    @CurrentRequest(WEBHOOK_HANDSHAKE) request: ApiRequest,
    @Res({ passthrough: true }) response: Response,
  ): string {
    return presentWebhookPermission(request, response, this.limits.triggers);
  }

  @Post('webhook-secret/rotate')
  @RequireScopes('agents:write')
  @RequireLive()
  @RequireRecentSignIn()
  @Operation('Rotate the webhook secret of an agent', {
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

import { ApiBody, ApiHeader } from '@nestjs/swagger';
import { LIMIT_WORDS } from '../openapi/configured-limits.js';
import { AGENT_ID, IDEMPOTENCY_HEADER, IDEMPOTENCY_PROBLEMS, JSON_BODY_PROBLEMS } from '../openapi/described-parts.js';
import { Operation } from '../openapi/operation.decorator.js';
import { FORMER_STAY_VALID, RotationBody } from '../http/rotation.dto.js';
import { TriggerResultResource, WebhookSecretResource } from './webhook.dto.js';

/** How the routes of webhooks are described, by handler. */
export const WEBHOOK_OPERATIONS = {
  trigger: Operation(
    {
      id: 'triggerAgent',
      tag: 'Triggers',
      summary: "Call an agent's webhook",
      description:
        'The body is the input of the run, unless the webhook trigger of the definition maps it. Instead of the secret, a sender may ' +
        'send a signature of the body that was made with it: `X-Hub-Signature-256` as GitHub does, or the headers of Standard Webhooks. ' +
        'A delivery is recognised when it is sent again, by `Idempotency-Key`, else `webhook-id`, else `X-GitHub-Delivery`.',
      answers: [
        {
          status: 202,
          description:
            'A run was started (`Location` says where it is), or had been by this delivery, or the call was ignored by the filter.',
          type: TriggerResultResource,
          headers: {
            'Idempotent-Replayed': '`true` where this delivery had arrived before.',
          },
        },
      ],
      problems: [
        ...JSON_BODY_PROBLEMS,
        'invalid_webhook_secret',
        'agent_paused',
        'agent_archived',
        ...IDEMPOTENCY_PROBLEMS,
        'input_invalid',
        'rate_limited',
        { code: 'workspace_stopped', kind: 'unavailable' },
      ],
    },
    AGENT_ID,
    ApiHeader(IDEMPOTENCY_HEADER),
    ApiHeader({
      name: 'X-Service-Webhook-Secret',
      required: false,
      description: 'The secret.',
      schema: { type: 'string' },
    }),
    ApiBody({
      required: true,
      schema: { type: 'object', additionalProperties: true },
      description: `At most ${LIMIT_WORDS.input}.`,
    }),
  ),
  rotate: Operation(
    {
      id: 'rotateAgentWebhookSecret',
      repeatable: true,
      tag: 'Triggers',
      summary: "Replace an agent's webhook secret",
      description: 'The one before it stays valid for `grace_seconds`. ' + FORMER_STAY_VALID,
      answers: [{ description: 'The new secret.', type: WebhookSecretResource }],
      problems: [...JSON_BODY_PROBLEMS, 'not_found', 'agent_archived'],
    },
    AGENT_ID,
    ApiBody({ type: RotationBody, required: false }),
  ),
};

import { ApiBody, ApiHeader, ApiSchema } from '@nestjs/swagger';
import type { Response } from 'express';
import type { WebhookAnswer } from '@app/triggers';
import { accepted, answered } from '../http/answers.js';
import { Flag, Id, OneOf, Text, Timestamp } from '../http/fields.js';
import { JSON_BODY_PROBLEMS, LIMIT_WORDS, REPEATABLE, type RouteInput } from '../http/route-inputs.js';

export class TriggerAgentQuery {
  @Text({
    optional: true,
    description: 'Id of the webhook trigger. Default: the first one whose filter accepts the body.',
    example: 'hook',
  })
  trigger?: string;
}

@ApiSchema({ name: 'TriggerResult', description: 'The result of a webhook call.' })
export class TriggerResultResource {
  @Id('run', { nullable: true, description: 'Id of the run; null if the filter ignored the call.' }) run: string | null;
  @OneOf(['queued', 'filtered'], { description: 'Result; `filtered` if the filter ignored the call.' }) status:
    'queued' | 'filtered';
  @Flag({
    optional: true,
    description: '`true` if an earlier call with the same delivery started the run. Absent without a run.',
  })
  duplicate?: boolean;
  @Text({ optional: true, description: 'Reason why no run was started. Absent with a run.' }) reason?: string;
}

@ApiSchema({ name: 'WebhookSecret', description: 'A new webhook secret.' })
export class WebhookSecretResource {
  @Id('agent') agent: string;
  @Text({ description: 'New secret. Only this response contains it.', example: 'whsec_…' }) webhook_secret: string;
  @Timestamp({ description: 'Time until which the previous secret is valid.' }) previous_valid_until: string;
}

/** The body of a webhook call. The handler reads it after the secret has been checked. */
export const WEBHOOK_CALL: RouteInput = {
  repeatable: true,
  parts: [
    ...(REPEATABLE.parts ?? []),
    ApiHeader({
      name: 'X-Service-Webhook-Secret',
      required: false,
      description: 'Webhook secret of the agent. Not required if the request has a signature.',
      schema: { type: 'string', example: 'whsec_…' },
    }),
    ApiBody({
      required: true,
      schema: { type: 'object', additionalProperties: true, example: { kind: 'refund', order_id: '1002' } },
      description: `Any JSON object of at most ${LIMIT_WORDS.input}.`,
    }),
  ],
  problems: JSON_BODY_PROBLEMS,
};

/**
 * Always responds with 202. The sender need not act, regardless of whether the call started a run, is a repeated
 * delivery or was ignored.
 */
export function presentWebhookAnswer(response: Response, answer: WebhookAnswer): TriggerResultResource {
  answered(response, { replayed: answer.duplicate });
  if (answer.status === 'filtered') return { run: null, status: 'filtered', reason: answer.reason };
  const { runId: run, duplicate } = answer;
  return accepted(response, `/v1/runs/${run}`, { run, status: 'queued', duplicate });
}

export function presentWebhookSecret(
  agentId: string,
  { text, previousUntil }: { text: string; previousUntil: Date },
): WebhookSecretResource {
  return { agent: agentId, webhook_secret: text, previous_valid_until: previousUntil.toISOString() };
}

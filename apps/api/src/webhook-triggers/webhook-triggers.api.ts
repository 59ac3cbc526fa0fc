import { ApiBody, ApiHeader, ApiSchema } from '@nestjs/swagger';
import type { Response } from 'express';
import type { WebhookAnswer } from '@app/triggers';
import { accepted, answered } from '../http/answers.js';
import { Flag, OneOf, Text, Timestamp } from '../http/fields.js';
import { JSON_BODY_PROBLEMS, LIMIT_WORDS, REPEATABLE, type RouteInput } from '../http/route-inputs.js';

export class TriggerAgentQuery {
  @Text({
    optional: true,
    description:
      'Id of the webhook trigger that it is for. Without it, the first of the definition whose filter does not ignore the body.',
  })
  trigger?: string;
}

@ApiSchema({ name: 'TriggerResult' })
export class TriggerResultResource {
  @Text({ nullable: true, description: 'The run; null where the filter ignored the call.' }) run: string | null;
  @OneOf(['queued', 'filtered']) status: 'queued' | 'filtered';
  @Flag({ optional: true, description: 'With a run: whether this delivery had started it before.' })
  duplicate?: boolean;
  @Text({ optional: true, description: 'Without a run: why.' }) reason?: string;
}

@ApiSchema({ name: 'WebhookSecret' })
export class WebhookSecretResource {
  @Text({ example: 'agt_01kahzvk3te9d8q6f0f1v3m2sx' }) agent: string;
  @Text({ description: 'The new secret. Only this answer has it.', example: 'whsec_…' }) webhook_secret: string;
  @Timestamp({ description: 'Until when the secret before is valid.' }) previous_valid_until: string;
}

/** What a sender sends. Its handler reads it, once the secret has been checked. */
export const WEBHOOK_CALL: RouteInput = {
  repeatable: true,
  parts: [
    ...(REPEATABLE.parts ?? []),
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
  ],
  problems: JSON_BODY_PROBLEMS,
};

/** 202 whether the call started a run, had started it before, or was ignored: the sender has nothing more to do. */
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

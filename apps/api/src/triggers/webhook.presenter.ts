import type { Response } from 'express';
import type { WebhookAnswer } from '@app/triggers';
import { accepted, answered, markReplayed } from '../http/answers.js';
import type { OnceOnly } from '@app/workspace';
import type { TriggerResultResource, WebhookSecretResource } from './webhook.dto.js';

/** 202 whether the call started a run, had started it before, or was ignored: the sender has nothing more to do. */
export function presentWebhookAnswer(response: Response, answer: WebhookAnswer): TriggerResultResource {
  if (answer.duplicate) markReplayed(response);
  if (answer.status === 'filtered') {
    response.status(202);
    return { run: null, status: 'filtered', reason: answer.reason };
  }
  const { runId: run, duplicate } = answer;
  return accepted(response, `/v1/runs/${run}`, { run, status: 'queued', duplicate });
}

export function presentWebhookSecret(
  response: Response,
  agentId: string,
  rotated: OnceOnly<{ text: string; previousUntil: Date }>,
): WebhookSecretResource {
  const { text, previousUntil } = answered(response, rotated);
  return { agent: agentId, webhook_secret: text, previous_valid_until: previousUntil.toISOString() };
}

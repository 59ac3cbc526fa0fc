import { ApiBody, ApiConsumes, ApiHeader, ApiSchema } from '@nestjs/swagger';
import type { Response } from 'express';
import { DomainError, type JsonObject, parameterPlace } from '@app/kernel';
import type { WebhookAnswer } from '@app/triggers';
import { accepted } from '../http/answers.js';
import { Flag, Id, OneOf, Text, Timestamp } from '../http/fields.js';
import type { ApiRequest } from '../http/request-context.js';
import { JSON_BODY_PROBLEMS, LIMIT_WORDS, REPEATABLE, type RouteInput } from '../http/route-inputs.js';
import type { WebhookReply } from './webhook-calls.service.js';

export class TriggerAgentQuery {
  @Text({
    optional: true,
    description: 'Id of the webhook trigger. Default: the first trigger whose filter is true; for `GET`, any trigger.',
    example: 'hook',
  })
  trigger?: string;
}

/** Meta sends these parameters to verify the address of a webhook. */
export class VerifyWebhookQuery extends TriggerAgentQuery {
  @Text({ optional: true, description: 'Always `subscribe`.', example: 'subscribe' }) 'hub.mode'?: string;
  @Text({ optional: true, description: 'Token in `auth.verify_token` of the trigger.', example: 'token' })
  'hub.verify_token'?: string;
  @Text({ optional: true, description: 'Text that the response repeats.', example: '1158201444' })
  'hub.challenge'?: string;
}

@ApiSchema({ name: 'TriggerResult', description: 'The result of a webhook call.' })
export class TriggerResultResource {
  @Id('run', { nullable: true, description: 'Same as `run`.' }) id: string | null;
  @Id('run', { nullable: true, description: 'Id of the run; null if the filter ignored the call.' }) run: string | null;
  @OneOf(['queued', 'filtered'], {
    description:
      'Result. `queued`: the call, or an earlier one if `duplicate`, started a run. `filtered`: the filter ignored the call.',
  })
  status: 'queued' | 'filtered';
  @Flag({ description: '`true` if the same delivery had already arrived.' }) duplicate: boolean;
  @Text({ optional: true, description: 'Reason why no run was started; absent if a run was started.' }) reason?: string;
}

@ApiSchema({ name: 'WebhookSecret', description: 'A new webhook secret.' })
export class WebhookSecretResource {
  @Id('agent') agent: string;
  @Text({ description: 'New secret. Only this response contains it.', example: 'whsec_…' }) webhook_secret: string;
  @Timestamp({ description: 'Time until which the previous secret is valid.' }) previous_valid_until: string;
}

/** The handler itself reads the body, after it has checked the secret. */
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
    ApiConsumes('application/json', 'application/x-www-form-urlencoded', 'multipart/form-data'),
    ApiBody({
      required: true,
      schema: { type: 'object', additionalProperties: true, example: { kind: 'refund', order_id: '1002' } },
      description: `Any JSON object of at most ${LIMIT_WORDS.input}, with any JSON media type, or a form. A form becomes an object of texts, lists (repeated names) and files; a file may have ${LIMIT_WORDS.file}, unless the sender signs the body. A trigger with \`map\` also takes a JSON array or a text.`,
    }),
  ],
  problems: [...JSON_BODY_PROBLEMS, 'file_too_large', 'file_quota_exceeded', 'file_refused'],
};

/** The header with which a sender of CloudEvents asks for permission. */
const ORIGIN = 'WebHook-Request-Origin';

export const WEBHOOK_HANDSHAKE: RouteInput = {
  parts: [
    ApiHeader({
      name: ORIGIN,
      required: true,
      description: 'DNS name of the sender.',
      schema: { type: 'string', example: 'eventgrid.azure.net' },
    }),
  ],
};

/**
 * Sets the headers that permit the sender to send events, and returns the empty body.
 * @param perMinute limit of deliveries a minute; 0 means no limit
 * @throws DomainError `invalid_request` if the header is missing or is not printable ASCII text of up to 255 characters
 */
export function presentWebhookPermission({ headers }: ApiRequest, response: Response, perMinute: number): string {
  const origin = headers[ORIGIN.toLowerCase()];
  if (typeof origin !== 'string' || !/^[\x21-\x7e]{1,255}$/.test(origin)) {
    const detail = `Send the name of the sender in the header ${ORIGIN}.`;
    throw new DomainError('invalid_request', detail, { errors: [parameterPlace(ORIGIN, detail)] });
  }
  response.setHeader('WebHook-Allowed-Origin', origin).setHeader('WebHook-Allowed-Rate', perMinute || '*');
  response.setHeader('Content-Type', 'text/plain; charset=utf-8');
  return '';
}

/**
 * Content Security Policy of the answers, which may contain text from third parties. Browsers must neither run this
 * text as a script nor treat it as a page of the service.
 */
const SANDBOX = 'sandbox allow-forms';

/**
 * Sets the status and the headers of the response to a webhook call, and returns its body: the verification that a
 * sender expects, the answer that `respond` computed, or the result of the call with status 202. Duplicate and ignored
 * calls also get 202, so that the sender does not repeat them.
 */
export function presentWebhookReply(
  response: Response,
  reply: WebhookReply,
): TriggerResultResource | JsonObject | string {
  protectAnswer(response);
  switch (reply.kind) {
    case 'verified':
      response.status(200);
      return reply.body;
    case 'computed': {
      const { status, headers, body } = reply.answer;
      response.status(status);
      for (const [name, value] of headers) response.setHeader(name, value);
      return body;
    }
    case 'accepted':
      return presentWebhookAnswer(response, reply.answer);
  }
}

export function presentChallenge(response: Response, challenge: string): string {
  protectAnswer(response);
  response.setHeader('Content-Type', 'text/plain; charset=utf-8');
  return challenge;
}

export function protectAnswer(response: Response): void {
  response.setHeader('X-Content-Type-Options', 'nosniff').setHeader('Content-Security-Policy', SANDBOX);
}

function presentWebhookAnswer(response: Response, answer: WebhookAnswer): TriggerResultResource {
  const { duplicate } = answer;
  response.status(202);
  if (answer.status === 'filtered')
    return { id: null, run: null, status: 'filtered', duplicate, reason: answer.reason };
  const { runId: run } = answer;
  return accepted(response, `/v1/runs/${run}`, { id: run, run, status: 'queued', duplicate });
}

export function presentWebhookSecret(
  agentId: string,
  { text, previousUntil }: { text: string; previousUntil: Date },
): WebhookSecretResource {
  return { agent: agentId, webhook_secret: text, previous_valid_until: previousUntil.toISOString() };
}

import type { IncomingHttpHeaders } from 'node:http';
import { isJsonObject, type JsonObject, type JsonValue } from '@app/kernel';
import type { SatisfiedTrigger } from './webhook-senders.service.js';

export type WebhookHandshake =
  { kind: 'answer'; body: JsonObject } | { kind: 'confirm'; url: string } | { kind: 'ended' };

export function webhookHandshake(
  headers: IncomingHttpHeaders,
  body: JsonValue,
  satisfied: readonly SatisfiedTrigger[],
): WebhookHandshake | undefined {
  const message = isJsonObject(body) ? body : {};
  if (satisfied.some(({ auth }) => auth.scheme === 'slack') && message.type === 'url_verification')
    return isText(message.challenge) ? { kind: 'answer', body: { challenge: message.challenge } } : undefined;
  if (one(headers['aeg-event-type']) === 'subscriptionvalidation') {
    const code = validationCode(body);
    return code === undefined ? undefined : { kind: 'answer', body: { validationResponse: code } };
  }
  switch (one(headers['x-amz-sns-message-type'])) {
    case 'subscriptionconfirmation':
      return isText(message.SubscribeURL) ? { kind: 'confirm', url: message.SubscribeURL } : undefined;
    case 'unsubscribeconfirmation':
      return { kind: 'ended' };
    default:
      return undefined;
  }
}

function validationCode(body: JsonValue): string | undefined {
  const [event] = Array.isArray(body) ? body : [];
  if (!isJsonObject(event) || !isJsonObject(event.data)) return undefined;
  return isText(event.data.validationCode) ? event.data.validationCode : undefined;
}

function one(header: string | string[] | undefined): string {
  return typeof header === 'string' ? header.toLowerCase() : '';
}

function isText(value: unknown): value is string {
  return typeof value === 'string';
}

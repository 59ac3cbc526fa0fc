import type { webhooks } from './generated/schema.js';

type MessageOf<Name extends keyof webhooks> = NonNullable<
  webhooks[Name]['post']
>['requestBody']['content']['application/json'];

/** A message that the service sends to a webhook endpoint. `type` is the type of its event. */
export type WebhookEvent = { [Name in keyof webhooks]: MessageOf<Name> & { type: Name } }[keyof webhooks];

/** Headers as web frameworks provide them. Names are case-insensitive. */
export type WebhookHeaders = Headers | Readonly<Record<string, string | readonly string[] | undefined>>;

/**
 * Error of {@link verifyWebhook}: the signature of the message is missing or wrong, or the time in the message differs
 * from the current time by more than five minutes.
 */
export class WebhookVerificationError extends Error {
  override readonly name = 'WebhookVerificationError';
}

const TOLERANCE_SECONDS = 300;

/**
 * Checks the signature of a message to a webhook endpoint, and returns its event.
 *
 * @param body request body as it was received. Parsing and serialising it would change its bytes.
 * @param secret secret of the endpoint. It begins with `whsec_`.
 * @throws {WebhookVerificationError} if the message was not signed with the secret or was changed, or if its time
 * differs from the current time by more than five minutes. Respond to such a message with status 400.
 */
export async function verifyWebhook(
  body: string | ArrayBuffer | Uint8Array,
  headers: WebhookHeaders,
  secret: string,
): Promise<WebhookEvent> {
  const bytes = bytesOf(body);
  const [id, timestamp, signatures] = ['id', 'timestamp', 'signature'].map((name) =>
    headerOf(headers, `webhook-${name}`),
  );
  if (!id || !timestamp || !signatures) {
    throw new WebhookVerificationError('The headers webhook-id, webhook-timestamp and webhook-signature are needed.');
  }
  const age = Date.now() / 1_000 - Number(timestamp);
  if (!/^\d+$/.test(timestamp) || Math.abs(age) > TOLERANCE_SECONDS) {
    throw new WebhookVerificationError('webhook-timestamp is more than five minutes from now.');
  }
  const signed = joined(new TextEncoder().encode(`${id}.${timestamp}.`), bytes);
  const isSignature = await verifierOf(secret);
  for (const signature of signatures.split(' ')) {
    const [version, text = ''] = signature.split(',');
    const value = version === 'v1' ? fromBase64(text) : undefined;
    if (value && (await isSignature(value, signed))) return parse(bytes);
  }
  throw new WebhookVerificationError('webhook-signature is not the signature of this body with this secret.');
}

function bytesOf(body: unknown): Bytes {
  if (typeof body === 'string') return new TextEncoder().encode(body);
  if (body instanceof ArrayBuffer) return new Uint8Array(body);
  if (body instanceof Uint8Array) return new Uint8Array(body);
  throw new TypeError('`body` must be the request body as text or bytes, not the parsed JSON.');
}

function headerOf(headers: WebhookHeaders, name: string): string | undefined {
  if (headers instanceof Headers) return headers.get(name) ?? undefined;
  const value = Object.entries(headers).find(([each]) => each.toLowerCase() === name)?.[1];
  return typeof value === 'string' ? value : value?.join(' ');
}

function joined(head: Uint8Array, tail: Uint8Array): Bytes {
  const whole = new Uint8Array(head.length + tail.length);
  whole.set(head);
  whole.set(tail, head.length);
  return whole;
}

type Bytes = Uint8Array<ArrayBuffer>;

async function verifierOf(secret: string): Promise<(signature: Bytes, signed: Bytes) => Promise<boolean>> {
  const bytes = fromBase64(secret.replace(/^whsec_/, ''));
  if (!bytes?.length) throw new TypeError('`secret` must be the secret of the webhook endpoint: `whsec_` and base64.');
  const key = await crypto.subtle.importKey('raw', bytes, { name: 'HMAC', hash: 'SHA-256' }, false, ['verify']);
  return (signature, signed) => crypto.subtle.verify('HMAC', key, signature, signed);
}

function fromBase64(text: string): Bytes | undefined {
  try {
    return Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
  } catch {
    return undefined;
  }
}

function parse(bytes: Uint8Array): WebhookEvent {
  return JSON.parse(new TextDecoder().decode(bytes)) as WebhookEvent;
}

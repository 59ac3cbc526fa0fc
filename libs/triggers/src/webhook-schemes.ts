import { createHash, createHmac } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import type { HmacAlgorithm, HmacEncoding, WebhookAuth } from '@app/definition';
import { isJsonObject } from '@app/kernel';
import { constantTimeEqual, isSignedBy, standardSignature } from '@app/platform/crypto';

export interface SignedCall {
  headers: IncomingHttpHeaders;
  body: Buffer;
  /** Path and query as the sender wrote them. */
  target: string;
}

export interface Surroundings {
  now: Date;
  /** URL of the service, without a trailing slash. */
  publicUrl: string;
}

const FORM = 'application/x-www-form-urlencoded';

/** Compares secrets and signatures in constant time. */
export function fitsAuth(
  auth: WebhookAuth,
  secret: string,
  call: SignedCall,
  { now, publicUrl }: Surroundings,
): boolean {
  const { headers, body } = call;
  switch (auth.scheme) {
    case 'slack': {
      const time = one(headers['x-slack-request-timestamp']);
      const signed = `v0=${mac(secret, [`v0:${time}:`, body])}`;
      const given = one(headers['x-slack-signature']).toLowerCase();
      return isNear(time, auth.toleranceMs, now) && constantTimeEqual(given, signed);
    }
    case 'stripe':
      return fitsStripe(one(headers['stripe-signature']), secret, body, auth.toleranceMs, now);
    case 'standard':
      return fitsStandard(headers, secret, body, auth.toleranceMs, now);
    case 'shopify':
      return constantTimeEqual(one(headers['x-shopify-hmac-sha256']), mac(secret, [body], 'sha256', 'base64'));
    case 'linear': {
      const isSigned = constantTimeEqual(one(headers['linear-signature']).toLowerCase(), mac(secret, [body]));
      return isSigned && Math.abs(now.getTime() - webhookTimestamp(body)) <= auth.toleranceMs;
    }
    case 'github':
    case 'meta':
      return isSignedBy(secret, body, { scheme: 'hub', signature: one(headers['x-hub-signature-256']) }, now);
    case 'twilio':
      return fitsTwilio(secret, call, auth.url, publicUrl);
    case 'hmac': {
      const { encoding, prefix } = auth;
      const given = one(headers[auth.header]);
      if (!given.startsWith(prefix)) return false;
      const signature = given.slice(prefix.length);
      const expected = mac(secret, [body], auth.algorithm, encoding);
      return constantTimeEqual(encoding === 'hex' ? signature.toLowerCase() : signature, expected);
    }
    case 'gitlab':
      return constantTimeEqual(one(headers['x-gitlab-token']), secret);
    case 'token':
      return constantTimeEqual(auth.header === null ? bearer(headers) : one(headers[auth.header]), secret);
    case 'basic':
      return constantTimeEqual(basicCredentials(headers), `${auth.username}:${secret}`);
  }
}

/** Whether the sender signs the body. */
export function needsBody({ scheme }: WebhookAuth): boolean {
  return !['gitlab', 'token', 'basic'].includes(scheme);
}

/** A repeated header counts as absent, because it is not clear which of its values the sender has signed. */
function one(header: string | readonly string[] | undefined): string {
  return typeof header === 'string' ? header : '';
}

function mac(
  key: string | Buffer,
  parts: readonly (string | Buffer)[],
  algorithm: HmacAlgorithm = 'sha256',
  encoding: HmacEncoding = 'hex',
): string {
  const hmac = createHmac(algorithm, key);
  for (const part of parts) hmac.update(part);
  return hmac.digest(encoding);
}

/** Whether the Unix time `seconds` differs from now by at most `toleranceMs`. */
function isNear(seconds: string, toleranceMs: number, now: Date): boolean {
  return /^\d{1,12}$/.test(seconds) && Math.abs(now.getTime() - Number(seconds) * 1_000) <= toleranceMs;
}

/**
 * The header is `t=<seconds>,v1=<hex>,v1=<hex>,…`. While a secret is rotated, Stripe sends one `v1` for each secret.
 */
function fitsStripe(header: string, secret: string, body: Buffer, toleranceMs: number, now: Date): boolean {
  const members = header.split(',').map((part) => part.trim().split('=', 2));
  const time = members.find(([name]) => name === 't')?.[1] ?? '';
  const expected = mac(secret, [`${time}.`, body]);
  const fitting = members.filter(
    ([name, value = '']) => name === 'v1' && constantTimeEqual(value.toLowerCase(), expected),
  );
  return isNear(time, toleranceMs, now) && fitting.length > 0;
}

/** The secret may lack the prefix `whsec_`, because some senders show only the key in base64. */
function fitsStandard(
  headers: IncomingHttpHeaders,
  secret: string,
  body: Buffer,
  toleranceMs: number,
  now: Date,
): boolean {
  const key = secret.replace(/^whsec_/, '');
  const signature = standardSignature(headers);
  if (signature === undefined || Buffer.from(key, 'base64').length === 0) return false;
  return isSignedBy(`whsec_${key}`, body, signature, now, toleranceMs);
}

/** If the body contains no time, returns NaN, so that any comparison fails. */
function webhookTimestamp(body: Buffer): number {
  try {
    const value: unknown = JSON.parse(body.toString('utf8'));
    return isJsonObject(value) && typeof value.webhookTimestamp === 'number' ? value.webhookTimestamp : NaN;
  } catch {
    return NaN;
  }
}

/**
 * For a form, Twilio signs the URL followed by the sorted parameters. For any other body, Twilio signs only the URL,
 * whose query contains the SHA-256 of the body. Proxies may add or remove the default port, so the URL is tried with
 * and without the port.
 */
function fitsTwilio(secret: string, call: SignedCall, url: string | null, publicUrl: string): boolean {
  const { headers, body } = call;
  const given = one(headers['x-twilio-signature']);
  const isForm = one(headers['content-type']).toLowerCase().startsWith(FORM);
  const parameters = isForm ? signedParameters(new URLSearchParams(body.toString('utf8'))) : '';
  const fitting = signedUrls(call.target, url, publicUrl).filter((each) => {
    const isSigned = constantTimeEqual(given, mac(secret, [each + parameters], 'sha1', 'base64'));
    return isSigned && (isForm || body.length === 0 || hasHashOf(each, body));
  });
  return fitting.length > 0;
}

function signedParameters(form: URLSearchParams): string {
  const names = [...new Set(form.keys())].sort();
  return names.flatMap((name) => [...new Set(form.getAll(name))].sort().map((value) => name + value)).join('');
}

function signedUrls(target: string, url: string | null, publicUrl: string): string[] {
  const query = target.includes('?') ? target.slice(target.indexOf('?') + 1) : '';
  const withQuery = (base: string): string =>
    query === '' ? base : `${base}${base.includes('?') ? '&' : '?'}${query}`;
  const addresses = url === null ? [publicUrl + target] : [url, withQuery(url)];
  return [...new Set(addresses.flatMap((each) => [each, withUsualPort(each), withoutPort(each)]))];
}

const ORIGIN = /^(https?):\/\/([^/?#:]+|\[[^\]]*\])(:\d+)?/i;

function withUsualPort(url: string): string {
  return url.replace(ORIGIN, (_, scheme: string, host: string, port: string | undefined) => {
    return `${scheme}://${host}${port ?? (scheme.toLowerCase() === 'https' ? ':443' : ':80')}`;
  });
}

function withoutPort(url: string): string {
  return url.replace(ORIGIN, '$1://$2');
}

function hasHashOf(url: string, body: Buffer): boolean {
  const hash = URL.parse(url)?.searchParams.get('bodySHA256') ?? '';
  return constantTimeEqual(hash.toLowerCase(), createHash('sha256').update(body).digest('hex'));
}

function bearer({ authorization = '' }: IncomingHttpHeaders): string {
  return /^bearer +(.+)$/i.exec(authorization)?.[1] ?? '';
}

function basicCredentials({ authorization = '' }: IncomingHttpHeaders): string {
  return Buffer.from(/^basic +(.+)$/i.exec(authorization)?.[1] ?? '', 'base64').toString('utf8');
}

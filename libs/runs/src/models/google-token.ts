import { createSign } from 'node:crypto';
import { isJsonObject, type JsonValue, systemClock } from '@app/kernel';
import type { ModelProvider } from '@app/platform/models';
import { ReportedError } from './reported-error.js';

type Fetch = typeof fetch;
type ServiceAccount = NonNullable<ModelProvider['google']>;

const SCOPE = 'https://www.googleapis.com/auth/cloud-platform';
const GRANT = 'urn:ietf:params:oauth:grant-type:jwt-bearer';
const ASSERTION_SECONDS = 3_600;
/** A token is not used in the last minute before it expires. */
const MARGIN_MILLIS = 60_000;

const tokens = new WeakMap<ServiceAccount, { token: string; until: number }>();

export function withGoogleToken(account: ServiceAccount, send: Fetch): Fetch {
  return async (input, init) => {
    const headers = new Headers(init?.headers);
    headers.delete('x-goog-api-key');
    headers.set('authorization', `Bearer ${await tokenOf(account, send, init?.signal)}`);
    const response = await send(input, { ...init, headers });
    if (response.status === 401) tokens.delete(account);
    return response;
  };
}

async function tokenOf(account: ServiceAccount, send: Fetch, signal: AbortSignal | null | undefined): Promise<string> {
  const known = tokens.get(account);
  const now = systemClock.now().getTime();
  if (known && now < known.until) return known.token;
  const response = await send(account.tokenUri, {
    method: 'POST',
    headers: { 'content-type': 'application/x-www-form-urlencoded', accept: 'application/json' },
    body: new URLSearchParams({ grant_type: GRANT, assertion: assertionOf(account, now) }).toString(),
    ...(signal && { signal }),
  });
  const body = answerOf(await response.text());
  const { access_token: token, expires_in: seconds, error, error_description: description } = body;
  if (!response.ok || typeof token !== 'string') {
    const reason = [error, description].filter((each) => typeof each === 'string').join(': ');
    const message = `The token endpoint responded with HTTP status ${response.status}${reason && `: ${reason}`}.`;
    throw new ReportedError(message, response.ok ? undefined : response.status);
  }
  const lifetime = typeof seconds === 'number' ? seconds * 1_000 : 0;
  tokens.set(account, { token, until: now + lifetime - MARGIN_MILLIS });
  return token;
}

function assertionOf({ clientEmail, privateKey, privateKeyId, tokenUri }: ServiceAccount, now: number): string {
  const issuedAt = Math.floor(now / 1_000);
  const header = { alg: 'RS256', typ: 'JWT', ...(privateKeyId !== null && { kid: privateKeyId }) };
  const expiresAt = issuedAt + ASSERTION_SECONDS;
  const claims = { iss: clientEmail, scope: SCOPE, aud: tokenUri, iat: issuedAt, exp: expiresAt };
  const signed = [header, claims].map((part) => Buffer.from(JSON.stringify(part)).toString('base64url')).join('.');
  return `${signed}.${createSign('RSA-SHA256').update(signed).sign(privateKey, 'base64url')}`;
}

function answerOf(text: string): Record<string, JsonValue | undefined> {
  try {
    const body = JSON.parse(text) as JsonValue;
    return isJsonObject(body) ? body : {};
  } catch {
    return {};
  }
}

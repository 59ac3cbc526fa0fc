import type { IncomingMessage } from 'node:http';
import { DomainError } from '@app/kernel';

const OTHER_SCHEME = /^(basic|digest|negotiate|ntlm) /i;
const BEARER = /^bearer +([A-Za-z0-9._~+/-]{1,512}=*) *$/i;

/**
 * Whether the request has an `Authorization` header for this service. Headers with the scheme `Basic`, `Digest`,
 * `Negotiate` or `NTLM` do not count. Browsers send them for a proxy in front of the service.
 */
export function offersBearerToken({ headers }: IncomingMessage): boolean {
  return headers.authorization !== undefined && !OTHER_SCHEME.test(headers.authorization);
}

/**
 * Returns the token of `Authorization: Bearer <token>` (RFC 6750, section 2.1).
 * @throws DomainError `missing_api_key`, `invalid_api_key`, or `invalid_request` if the header occurs more than once
 */
export function readBearerToken({ headers, rawHeaders }: IncomingMessage): string {
  const header = headers.authorization;
  if (header === undefined) {
    throw new DomainError('missing_api_key', 'Send your API key as `Authorization: Bearer <key>`.');
  }
  // A repeated header is rejected, because Node uses the first value, but a proxy may have checked another value.
  if (countHeader(rawHeaders, 'authorization') > 1) {
    throw new DomainError('invalid_request', 'The request has more than one Authorization header. Send one.');
  }
  const token = BEARER.exec(header)?.[1];
  if (token === undefined) {
    throw new DomainError('invalid_api_key', 'The Authorization header must have the form `Bearer <key>`.');
  }
  return token;
}

/** `rawHeaders` contains names and values alternately. */
function countHeader(rawHeaders: readonly string[], name: string): number {
  return rawHeaders.filter(
    (text, index) => index % 2 === 0 && text.length === name.length && text.toLowerCase() === name,
  ).length;
}

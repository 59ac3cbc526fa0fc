import type { IncomingMessage } from 'node:http';
import { DomainError } from '@app/kernel';

const OTHER_SCHEME = /^(basic|digest|negotiate|ntlm) /i;
const BEARER = /^bearer +([A-Za-z0-9._~+/-]{1,512}=*) *$/i;

/** Whether the request has an `Authorization` header, except one of a scheme that a proxy asks browsers for. */
export function offersBearerToken({ headers }: IncomingMessage): boolean {
  return headers.authorization !== undefined && !OTHER_SCHEME.test(headers.authorization);
}

/**
 * The token of `Authorization: Bearer <token>` (RFC 6750, section 2.1).
 * @throws DomainError `missing_api_key`, `invalid_api_key`, or `invalid_request` where the header is given more than
 * once
 */
export function readBearerToken({ headers, rawHeaders }: IncomingMessage): string {
  const header = headers.authorization;
  if (header === undefined) {
    throw new DomainError('missing_api_key', 'Send your API key as `Authorization: Bearer <key>`.');
  }
  // Node keeps the first of several; a proxy may have looked at another one.
  if (countHeader(rawHeaders, 'authorization') > 1) {
    throw new DomainError('invalid_request', 'The request has more than one Authorization header.');
  }
  const token = BEARER.exec(header)?.[1];
  if (token === undefined) {
    throw new DomainError('invalid_api_key', 'The Authorization header is not of the form `Bearer <key>`.');
  }
  return token;
}

/** How often a header occurs. Node lists names and values in turn. */
function countHeader(rawHeaders: readonly string[], name: string): number {
  return rawHeaders.filter(
    (text, index) => index % 2 === 0 && text.length === name.length && text.toLowerCase() === name,
  ).length;
}

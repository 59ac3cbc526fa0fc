import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { Response } from 'express';
import { DomainError, type ExpectedVersions } from '@app/kernel';
import { sha256 } from '@app/platform/crypto';
import type { ApiRequest } from './api-request.js';

// RFC 9110, 8.8.3: a quoted text, `W/` before a weak one. Quotes and control characters cannot be in it.
const LIST = /^\s*(?:W\/)?"[\x21\x23-\x7e]*"(?:\s*,\s*(?:W\/)?"[\x21\x23-\x7e]*")*\s*$/;
const STRONG = /(?<!W\/)"([\x21\x23-\x7e]*)"/g;

/** Answers with the version of what the body shows, so that a change can say what it was made from. */
export function tagged<T>(response: Response, version: string | number, body: T): T {
  response.setHeader('ETag', `"${version}"`);
  return body;
}

/** The version of something that counts none: equal bodies have equal ones. */
export function contentVersion(body: object | string): string {
  return sha256(typeof body === 'string' ? body : JSON.stringify(body)).toString('base64url');
}

/**
 * The versions in an `If-Match` header (RFC 9110, 13.1.1): undefined where it is absent or `*`. A weak tag matches nothing.
 * @throws DomainError `invalid_request` where the header is no list of entity tags
 */
export function readIfMatch(header: string | undefined): ExpectedVersions {
  if (header === undefined || header.trim() === '*') return undefined;
  if (!LIST.test(header)) {
    const detail = 'If-Match must hold the ETag of an earlier answer, with its quotes, such as "3".';
    throw new DomainError('invalid_request', detail, { errors: [{ pointer: 'If-Match', detail }] });
  }
  return new Set([...header.matchAll(STRONG)].map(([, version = '']) => version));
}

/** The versions that the request's change was made from, from its `If-Match` header. */
export const IfMatch = createParamDecorator((_: unknown, context: ExecutionContext): ExpectedVersions => {
  const { headers } = context.switchToHttp().getRequest<ApiRequest>();
  return readIfMatch(headers['if-match']);
});

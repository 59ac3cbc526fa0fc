import type { Response } from 'express';
import { DomainError, type ExpectedVersions } from '@app/kernel';
import { sha256 } from '@app/platform/crypto';

/** Answers 201 with the address of what was made; 200 where it is not new. */
export function created<T>(response: Response, location: string, body: T, isNew = true): T {
  response.status(isNew ? 201 : 200).setHeader('Location', location);
  return body;
}

/** Answers 202 with the address at which to follow what was accepted; 200 where it is not new. */
export function accepted<T>(response: Response, location: string, body: T, isNew = true): T {
  response.status(isNew ? 202 : 200).setHeader('Location', location);
  return body;
}

/** What answers a request that may carry an `Idempotency-Key`; where it was answered before, the answer says so. */
export function answered<T extends { replayed: boolean }>(response: Response, result: T): T {
  if (result.replayed) response.setHeader('Idempotent-Replayed', 'true');
  return result;
}

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

/** A text that changes only with a release. */
export interface CachedDocument {
  type: string;
  text: string;
  /** Strong entity tag (RFC 9110, section 8.8.3). */
  etag: string;
}

export function cachedDocument(type: string, text: string): CachedDocument {
  return { type, text, etag: `"${sha256(text).toString('base64url')}"` };
}

/** Sets the headers for the text, which Express answers with 304 where the client has it already. */
export function sendCached(response: Response, { type, text, etag }: CachedDocument): string {
  response.set({ 'Content-Type': type, 'Cache-Control': 'public, no-cache', ETag: etag });
  return text;
}

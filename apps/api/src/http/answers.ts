import type { Response } from 'express';
import { DomainError, type ExpectedVersions } from '@app/kernel';
import { sha256 } from '@app/platform/crypto';

/** Responds with 201 for a new resource, or with 200 for an existing one. Sets `Location`. */
export function created<T>(response: Response, location: string, body: T, isNew = true): T {
  response.status(isNew ? 201 : 200).setHeader('Location', location);
  return body;
}

/** Responds with 202 for a new resource, or with 200 for an existing one. Sets `Location`. */
export function accepted<T>(response: Response, location: string, body: T, isNew = true): T {
  response.status(isNew ? 202 : 200).setHeader('Location', location);
  return body;
}

/**
 * Sets `Idempotent-Replayed` if the result is the stored response to an earlier request with the same idempotency key.
 */
export function answered<T extends { replayed: boolean }>(response: Response, result: T): T {
  if (result.replayed) response.setHeader('Idempotent-Replayed', 'true');
  return result;
}

// Matches a list of entity tags (RFC 9110, section 8.8.3). An entity tag is a quoted text. A weak tag begins with `W/`.
const LIST = /^\s*(?:W\/)?"[\x21\x23-\x7e]*"(?:\s*,\s*(?:W\/)?"[\x21\x23-\x7e]*")*\s*$/;
/** Finds the strong tags in a list of entity tags. */
const STRONG = /(?<!W\/)"([\x21\x23-\x7e]*)"/g;

/** Sets `ETag` to the version of the resource. A client can send it as `If-Match` with a later change. */
export function tagged<T>(response: Response, version: string | number, body: T): T {
  response.setHeader('ETag', `"${version}"`);
  return body;
}

/** Computes a version from the body of a resource that has no version number. Equal bodies have equal versions. */
export function contentVersion(body: object | string): string {
  return sha256(typeof body === 'string' ? body : JSON.stringify(body)).toString('base64url');
}

/**
 * Returns the versions in an `If-Match` header (RFC 9110, 13.1.1), or undefined if the header is absent or `*`. Omits
 * weak tags, because a weak tag matches no version.
 * @throws DomainError `invalid_request` if the header is not a list of entity tags
 */
export function readIfMatch(header: string | undefined): ExpectedVersions {
  if (header === undefined || header.trim() === '*') return undefined;
  if (!LIST.test(header)) {
    const detail = 'If-Match must be the ETag of an earlier response with its quotes, for example "3".';
    throw new DomainError('invalid_request', detail, { errors: [{ pointer: 'If-Match', detail }] });
  }
  return new Set([...header.matchAll(STRONG)].map(([, version = '']) => version));
}

/** Maximum time that a request may wait for the end of a run. */
export const MAX_WAIT_SECONDS = 60;

/**
 * Returns the seconds of `wait` in a `Prefer` header (RFC 7240, section 4.3), or undefined if it has no value from 1 to
 * 60. Ignores other preferences.
 */
export function readPreferredWait(header: string | readonly string[] | undefined): number | undefined {
  const preferences = [header ?? []].flat().flatMap((line) => line.split(','));
  const wait = preferences
    .map((each) => /^\s*wait\s*=\s*"?(\d{1,4})"?\s*(?:;|$)/i.exec(each)?.[1])
    .find((text) => text);
  const seconds = Number(wait);
  return seconds >= 1 && seconds <= MAX_WAIT_SECONDS ? seconds : undefined;
}

/** A document that does not change until the next release of the service. */
export interface CachedDocument {
  type: string;
  text: string;
  /** A weak entity tag, which is the same for the compressed forms. */
  etag: string;
}

export function cachedDocument(type: string, text: string): CachedDocument {
  return { type, text, etag: `W/"${sha256(text).toString('base64url')}"` };
}

/** Sets the headers and returns the text. Express responds with 304 if the client already has this version. */
export function sendCached(response: Response, { type, text, etag }: CachedDocument): string {
  response.set({ 'Content-Type': type, 'Cache-Control': 'public, no-cache', ETag: etag });
  return text;
}

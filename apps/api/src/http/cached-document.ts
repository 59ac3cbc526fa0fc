import type { Response } from 'express';
import { sha256 } from '@app/platform/crypto';

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

import { retryAfter } from '../interpreter/retries.js';

// HTTP statuses from 400 to 499 after which the same request may be retried (RFC 9110, RFC 6585, RFC 8470).
const NOT_NOW = new Set([408, 425, 429]);

/** Statuses whose `Retry-After` states the delay before a retry. In a redirect, the header has another meaning. */
const ASKS_FOR_TIME = new Set([429, 503]);

export function isPermanent(status: number): boolean {
  return status < 500 && !NOT_NOW.has(status);
}

export function delayOf(
  { status, headers }: { status: number; headers: Readonly<Record<string, string>> },
  now: number,
): { retryAfterMs?: number } {
  const retryAfterMs = ASKS_FOR_TIME.has(status) ? retryAfter(headers, now) : undefined;
  return retryAfterMs === undefined ? {} : { retryAfterMs };
}

const SECOND = 1_000;

/** Milliseconds. A longer `Retry-After` of a receiver is cut to this. */
const LONGEST_RETRY_AFTER = 24 * 3_600 * SECOND;
/** Waits are up to a fifth shorter or longer, so that deliveries that failed together are not retried together. */
const JITTER = 0.2;

export interface FailedAttempt {
  /** Number of attempts so far, including this one. */
  attempts: number;
  retryAfterMs?: number | undefined;
  /** Random number from 0 to 1. */
  random: number;
}

/**
 * Milliseconds until the next attempt; undefined after the last one. `schedule`: milliseconds before each attempt,
 * counted from the attempt before it. A receiver can ask for a longer wait, not for a shorter one.
 */
export function nextAttemptIn(
  { attempts, retryAfterMs = 0, random }: FailedAttempt,
  schedule: readonly number[],
): number | undefined {
  const wait = schedule[attempts];
  if (wait === undefined) return undefined;
  const jittered = wait * (1 + JITTER * (2 * random - 1));
  return Math.round(Math.max(jittered, Math.min(retryAfterMs, LONGEST_RETRY_AFTER)));
}

/**
 * Parses a `Retry-After` field (RFC 9110, section 10.2.3), seconds or a date, to milliseconds from `now`. Undefined if
 * it is missing or invalid.
 */
export function parseRetryAfter(field: string | undefined, now: Date): number | undefined {
  const text = field?.trim() ?? '';
  if (/^\d{1,9}$/.test(text)) return Number(text) * SECOND;
  const date = /^[A-Z][a-z]{2,8},? /.test(text) ? Date.parse(text) : NaN;
  return Number.isNaN(date) ? undefined : Math.max(0, date - now.getTime());
}

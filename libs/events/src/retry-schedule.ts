const SECOND = 1_000;

/** Maximum wait in milliseconds that a receiver can request with `Retry-After`. A longer wait is shortened to it. */
const MAX_RETRY_AFTER = 24 * 3_600 * SECOND;
/**
 * Each wait is made up to 20 % shorter or longer at random, so that deliveries that failed together are not retried
 * together.
 */
const JITTER = 0.2;

export interface FailedAttempt {
  attempts: number;
  retryAfterMs?: number | undefined;
  random: number;
}

/**
 * A receiver can request a longer wait than the schedule has, but not a shorter one.
 * @param schedule time in milliseconds before each attempt, counted from the previous attempt
 */
export function nextAttemptIn(
  { attempts, retryAfterMs = 0, random }: FailedAttempt,
  schedule: readonly number[],
): number | undefined {
  const wait = schedule[attempts];
  if (wait === undefined) return undefined;
  const jittered = wait * (1 + JITTER * (2 * random - 1));
  return Math.round(Math.max(jittered, Math.min(retryAfterMs, MAX_RETRY_AFTER)));
}

/**
 * Parses a `Retry-After` header (RFC 9110, section 10.2.3) with seconds or a date. Returns the milliseconds from `now`,
 * or undefined if the header is missing or invalid.
 */
export function parseRetryAfter(field: string | undefined, now: Date): number | undefined {
  const text = field?.trim() ?? '';
  if (/^\d{1,9}$/.test(text)) return Number(text) * SECOND;
  const date = /^[A-Z][a-z]{2,8},? /.test(text) ? Date.parse(text) : NaN;
  return Number.isNaN(date) ? undefined : Math.max(0, date - now.getTime());
}

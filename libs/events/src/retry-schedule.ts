const SECOND = 1_000;

/** The longest that a receiver may ask for with `Retry-After`. */
const LONGEST_RETRY_AFTER = 24 * 3_600 * SECOND;
/** Waits are up to a fifth shorter or longer, so that what failed together does not come back together. */
const JITTER = 0.2;

export interface FailedAttempt {
  /** This one included. */
  attempts: number;
  /** What the receiver asked for, in milliseconds. */
  retryAfterMs?: number | undefined;
  /** From 0 to 1, drawn for this wait. */
  random: number;
}

/**
 * Milliseconds until the next attempt; undefined when that was the last one. `schedule`: milliseconds before each
 * attempt, counted from the one before it. A receiver can ask for more, not for less.
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
 * Milliseconds that a `Retry-After` field asks for (RFC 9110, section 10.2.3): seconds, or a date, which counts from
 * `now`. Undefined where there is none, or none that can be read.
 */
export function parseRetryAfter(field: string | undefined, now: Date): number | undefined {
  const text = field?.trim() ?? '';
  if (/^\d{1,9}$/.test(text)) return Number(text) * SECOND;
  const date = /^[A-Z][a-z]{2,8},? /.test(text) ? Date.parse(text) : NaN;
  return Number.isNaN(date) ? undefined : Math.max(0, date - now.getTime());
}

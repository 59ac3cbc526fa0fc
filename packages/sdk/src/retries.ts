import { ApiError, ConnectionError } from './errors.js';
import { reasonOf, type Timing } from './timing.js';

const MAX_TRIES = 3;
const FIRST_PAUSE_MILLIS = 500;
const MAX_PAUSE_MILLIS = 8_000;
/** If `Retry-After` asks for a longer pause than this, the request is not retried. */
const MAX_RETRY_AFTER_SECONDS = 60;
/**
 * Statuses after which a repeatable request is retried. The service did not carry out the request, or a proxy responded
 * instead of the service.
 */
const REPEATABLE_STATUSES = new Set([408, 429, 502, 503, 504]);

export interface Repetition {
  isRepeatable: boolean;
  /** Such a request is also retried after an internal error of the service (500). */
  isSafe: boolean;
}

/**
 * Performs `attempt`, and repeats it after a temporary failure. There are at most three attempts. If all fail, rejects
 * with the error of the last one.
 */
export async function withRetries<T>(
  attempt: () => Promise<T>,
  repetition: Repetition,
  { timing, signal }: { timing: Timing; signal: AbortSignal },
): Promise<T> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await attempt();
    } catch (error) {
      if (signal.aborted) throw reasonOf(signal);
      const pause = tries < MAX_TRIES ? pauseAfter(error, tries, repetition, timing) : undefined;
      if (pause === undefined) throw error;
      await timing.sleep(pause, signal);
    }
  }
}

function pauseAfter(
  error: unknown,
  tries: number,
  repetition: Repetition,
  timing: Pick<Timing, 'random'>,
): number | undefined {
  if (!repetition.isRepeatable || !mayPass(error, repetition)) return undefined;
  const asked = error instanceof ApiError ? error.retryAfter : undefined;
  if (asked !== undefined) return asked > MAX_RETRY_AFTER_SECONDS ? undefined : asked * 1_000;
  return jitter(tries, timing, { first: FIRST_PAUSE_MILLIS, longest: MAX_PAUSE_MILLIS });
}

/**
 * Returns a random pause in milliseconds (exponential backoff with full jitter). The maximum of the pause is `first`
 * after the first attempt, doubles with each further attempt, and never exceeds `longest`. The pause is random, so that
 * callers that failed at the same time do not retry at the same time.
 */
export function jitter(
  tries: number,
  timing: Pick<Timing, 'random'>,
  { first, longest }: { first: number; longest: number },
): number {
  return timing.random() * Math.min(longest, first * 2 ** (tries - 1));
}

function mayPass(error: unknown, { isSafe }: Repetition): boolean {
  if (error instanceof ConnectionError) return true;
  if (!(error instanceof ApiError)) return false;
  // Waiting makes no room for the file.
  if (error.code === 'file_quota_exceeded') return false;
  // The service is still carrying out an earlier attempt, whose response was lost.
  if (error.code === 'idempotency_in_progress') return true;
  return REPEATABLE_STATUSES.has(error.status) || (isSafe && error.status === 500);
}

import { ApiError } from './api-error.js';
import { ConnectionError } from './errors.js';
import { reasonOf, type Timing } from './timing.js';

const MOST_TRIES = 3;
const FIRST_PAUSE_MILLIS = 500;
const LONGEST_PAUSE_MILLIS = 8_000;
/** A service that asks for a longer pause than this gets no further try: the caller decides. */
const LONGEST_RETRY_AFTER_SECONDS = 60;
/** The request was not carried out, or not by a service that had received it whole. */
const REPEATABLE_STATUSES = new Set([408, 429, 502, 503, 504]);

/** How often a request may be sent. */
export interface Repetition {
  /** Sending it twice does what sending it once does. */
  isRepeatable: boolean;
  /** It changes nothing, so that it is repeated after an internal error as well. */
  isSafe: boolean;
}

/**
 * Performs `attempt`, and again after failures that may pass: at most three times, with full jitter between the tries.
 * Rejects with the last failure.
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
      const pause = tries < MOST_TRIES ? pauseAfter(error, tries, repetition, timing) : undefined;
      if (pause === undefined) throw error;
      await timing.sleep(pause, signal);
    }
  }
}

/** Milliseconds until the next try; undefined if there is none. */
function pauseAfter(
  error: unknown,
  tries: number,
  repetition: Repetition,
  timing: Pick<Timing, 'random'>,
): number | undefined {
  if (!repetition.isRepeatable || !mayPass(error, repetition)) return undefined;
  const asked = error instanceof ApiError ? error.retryAfter : undefined;
  if (asked !== undefined) return asked > LONGEST_RETRY_AFTER_SECONDS ? undefined : asked * 1_000;
  return jitter(tries, timing, { first: FIRST_PAUSE_MILLIS, longest: LONGEST_PAUSE_MILLIS });
}

/** A random part of a pause that doubles with each try, so that callers that failed together do not return together. */
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
  // The first try, whose answer was lost, is still being carried out.
  if (error.code === 'idempotency_in_progress') return true;
  return REPEATABLE_STATUSES.has(error.status) || (isSafe && error.status === 500);
}

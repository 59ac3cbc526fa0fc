import type { RetryPolicy, ToolOperation } from '@app/definition';
import { LONGEST_RETRY_AFTER_MS } from './retry-after.js';
import type { CallError } from './run-error.js';

/**
 * How many milliseconds after a failed try the next one may begin, or null when there is none. A call that must not
 * happen twice is never tried again, whatever the policy says; a server that asks to be left alone is left alone for as long,
 * and given up where that is more than 15 minutes.
 */
export function retryDelay(
  policy: RetryPolicy,
  operation: ToolOperation,
  error: CallError,
  tries: number,
): number | null {
  const retryable: readonly string[] = policy.retryOn;
  if (operation.effect === 'at_most_once' || error.permanent === true) return null;
  const maxTries = error.unanswered === true ? policy.maxAttemptsUnanswered : policy.maxAttempts;
  if (tries >= maxTries || !retryable.includes(error.code)) return null;
  const asked = error.retryAfterMs ?? 0;
  if (asked > LONGEST_RETRY_AFTER_MS) return null;
  const factor = policy.backoff === 'exponential' ? 2 ** (tries - 1) : 1;
  return Math.max(Math.min(policy.initialMs * factor, policy.maxMs), asked);
}

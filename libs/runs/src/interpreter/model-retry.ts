import type { ModelChoice, ModelSettings, RetryPolicy } from '@app/definition';
import { LONGEST_RETRY_AFTER_MS } from './retry-after.js';
import type { CallError } from './run-error.js';

export interface NextTry {
  choice: ModelChoice;
  /** How long after the failure it may begin. */
  delayMs: number;
}

/**
 * Which model is asked after `tries` failed tries of a turn, the last of them with `error`; null: none. A round asks the
 * model and each of its fallbacks once, without a pause. Another round begins as late as the policy says, and not before
 * the time that the provider asks for.
 */
export function nextTry(model: ModelSettings, retry: RetryPolicy, tries: number, error?: CallError): NextTry | null {
  const choices: readonly ModelChoice[] = [model, ...model.fallback];
  const choice = choices[tries % choices.length] ?? model;
  if (!error) return { choice, delayMs: 0 };
  if (tries % choices.length !== 0) return { choice, delayMs: 0 };
  const rounds = tries / choices.length;
  const retryable: readonly string[] = retry.retryOn;
  if (rounds >= retry.maxAttempts || error.permanent === true || !retryable.includes(error.code)) return null;
  const asked = error.retryAfterMs ?? 0;
  if (asked > LONGEST_RETRY_AFTER_MS) return null;
  const pause = Math.min(retry.initialMs * (retry.backoff === 'exponential' ? 2 ** (rounds - 1) : 1), retry.maxMs);
  return { choice, delayMs: Math.max(pause, asked) };
}

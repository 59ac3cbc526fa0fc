import type { ModelChoice, ModelSettings, RetryPolicy, ToolOperation } from '@app/definition';
import type { CallError } from './run-error.js';

/** A server asks for pauses of seconds or minutes; a run waits no longer than this for a retry. */
const LONGEST_RETRY_AFTER_MS = 15 * 60_000;

/**
 * Delay in milliseconds from `retry-after-ms` (OpenAI) or `Retry-After` with seconds or a date (RFC 9110, section
 * 10.2.3). Undefined if neither header can be parsed. `now`: milliseconds since 1970.
 */
export function retryAfter(
  headers: Readonly<Record<string, string | string[] | undefined>>,
  now: number,
): number | undefined {
  const millis = textOf(headers['retry-after-ms']);
  if (millis && /^\d+(\.\d+)?$/.test(millis)) return Math.ceil(Number(millis));
  const given = textOf(headers['retry-after']);
  if (!given) return undefined;
  if (/^\d+(\.\d+)?$/.test(given)) return Math.ceil(Number(given) * 1_000);
  const date = Date.parse(given);
  return Number.isNaN(date) ? undefined : Math.max(0, date - now);
}

function textOf(value: string | string[] | undefined): string | undefined {
  return (Array.isArray(value) ? value[0] : value)?.trim();
}

/**
 * Milliseconds until the next try of a failed call, or null if there is none. A call that must not happen twice is
 * never retried, whatever the policy says. The delay that a server asks for is respected; if it exceeds 15 minutes,
 * there is no retry.
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

interface NextTry {
  choice: ModelChoice;
  /** Minimum delay after the failure, in milliseconds. */
  delayMs: number;
}

/**
 * The model for the next try of a turn after `tries` failed tries, the last of them with `error`; null: none. A round
 * asks the model and each of its fallbacks once, without a pause. The next round begins after the delay of the policy,
 * and not before the time that the provider asks for.
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

import type { ModelChoice, ModelSettings, RetryPolicy, ToolOperation } from '@app/definition';
import { isJsonObject } from '@app/kernel';
import type { CallError } from './run-error.js';

/** If it requests a longer delay, the call is not retried. */
const MAX_RETRY_AFTER_MS = 15 * 60_000;

/** Limit for the delays of one call together. */
const STORAGE_PATIENCE_MS = 15 * 60_000;
const FIRST_STORAGE_DELAY_MS = 500;
const LONGEST_STORAGE_DELAY_MS = 60_000;

/**
 * Returns the delay before the next attempt of a call while the storage of files does not answer, in milliseconds.
 * Returns null if there is no further attempt.
 * @param failures number of attempts that failed for this reason, at least 1
 */
export function storageDelay(failures: number): number | null {
  let waited = 0;
  let delay = FIRST_STORAGE_DELAY_MS;
  for (let n = 1; n < failures; n += 1) {
    waited += delay;
    delay = Math.min(2 * delay, LONGEST_STORAGE_DELAY_MS);
  }
  return waited + delay > STORAGE_PATIENCE_MS ? null : delay;
}

/**
 * Reads `retry-after-ms` (OpenAI), and `Retry-After` with seconds or a date (RFC 9110, section 10.2.3).
 * @param now current time in milliseconds since 1970
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
 * An at-most-once call is never retried, even if the policy allows retries. The delay is at least the delay that the
 * server requests. If the server requests more than 15 minutes, the call is not retried. Attempts that sent nothing,
 * because the storage of files did not answer, do not count towards the policy.
 */
export function retryDelay(
  policy: RetryPolicy,
  operation: ToolOperation,
  error: CallError,
  tries: number,
): number | null {
  const { postponed = 0, awaitsStorage = false } = error;
  if (awaitsStorage) return storageDelay(postponed);
  const retryable: readonly string[] = policy.retryOn;
  const made = tries - postponed;
  if (operation.effect === 'at_most_once' || error.permanent === true) return null;
  const maxTries = error.unanswered === true ? policy.maxAttemptsUnanswered : policy.maxAttempts;
  if (made >= maxTries || !retryable.includes(error.code)) return null;
  const asked = error.retryAfterMs ?? 0;
  if (asked > MAX_RETRY_AFTER_MS) return null;
  const factor = policy.backoff === 'exponential' ? 2 ** (made - 1) : 1;
  return Math.max(Math.min(policy.initialMs * factor, policy.maxMs), asked);
}

interface NextTry {
  choice: ModelChoice;
  position: number;
  delayMs: number;
  /**
   * Number of attempts of the turn, including this one, that repeat a request after an empty answer, minus the number of
   * models that were left out.
   */
  repeats: number;
  isRepeat: boolean;
  /** Positions of the models that are not asked again in this turn, because they refused or sent only empty answers. */
  spent: readonly number[];
}

/**
 * Returns the model for the next attempt of a turn, or null if there is no further attempt. First, the model and its
 * fallbacks are tried one after the other, without a delay. If all of them have failed, they are tried again after the
 * delay of the retry policy or, if longer, the delay that the provider requests. If the provider requests more than 15
 * minutes, there is no further attempt.
 *
 * After an empty answer, the same model is asked once more. After a refusal, the next model is asked only if the
 * definition says so. A model that refused or sent two empty answers is not asked again.
 * @param tries number of failed attempts
 * @param error error of the last failed attempt
 */
export function nextTry(model: ModelSettings, retry: RetryPolicy, tries: number, error?: CallError): NextTry | null {
  const choices: readonly ModelChoice[] = [model, ...model.fallback];
  const { repeats = 0, spent = [] } = error ?? {};
  const failures = tries - repeats;
  const choiceAt = (turn: number): Pick<NextTry, 'choice' | 'position'> => {
    const position = turn % choices.length;
    return { position, choice: choices[position] ?? model };
  };
  if (error?.awaitsStorage)
    return after(storageDelay(error.postponed ?? 1), {
      ...choiceAt(failures - 1),
      repeats: repeats + 1,
      isRepeat: false,
      spent,
    });
  if (error?.empty === 1) return { ...choiceAt(failures - 1), delayMs: 0, repeats: repeats + 1, isRepeat: true, spent };
  const skipped = choices.findIndex((_, index) => !spent.includes(choiceAt(failures + index).position));
  if (skipped === -1) return null;
  const turn = failures + skipped;
  const next = { ...choiceAt(turn), repeats: repeats - skipped, isRepeat: false, spent };
  if (!error) return { ...next, delayMs: 0 };
  if (isRefusal(error) && !model.fallbackOn?.includes('refused')) return null;
  const rounds = Math.floor(turn / choices.length);
  if (rounds === Math.floor((failures - 1) / choices.length)) return { ...next, delayMs: 0 };
  return after(pauseAfterRound(retry, rounds, error), next);
}

function after(delayMs: number | null, next: Omit<NextTry, 'delayMs'>): NextTry | null {
  return delayMs === null ? null : { ...next, delayMs };
}

export function postponedBefore(error: CallError | undefined): Pick<CallError, 'postponed'> {
  return error?.postponed === undefined ? {} : { postponed: error.postponed };
}

function pauseAfterRound(retry: RetryPolicy, rounds: number, error: CallError): number | null {
  const retryable: readonly string[] = retry.retryOn;
  const isLast = rounds >= retry.maxAttempts || error.permanent === true || error.empty !== undefined;
  if (isLast || !retryable.includes(error.code)) return null;
  const asked = error.retryAfterMs ?? 0;
  if (asked > MAX_RETRY_AFTER_MS) return null;
  const pause = Math.min(retry.initialMs * (retry.backoff === 'exponential' ? 2 ** (rounds - 1) : 1), retry.maxMs);
  return Math.max(pause, asked);
}

export function isRefusal({ body }: Pick<CallError, 'body'>): boolean {
  return isJsonObject(body) && body.reason === 'refused';
}

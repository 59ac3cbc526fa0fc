export const RETRYABLE_ERRORS = [
  'tool_error',
  'timeout',
  'provider_error',
  'provider_rate_limited',
  'knowledge_unavailable',
] as const;
export type RetryableError = (typeof RETRYABLE_ERRORS)[number];

/** Never applied to a call whose effect is at_most_once. */
export interface RetryPolicy {
  /** The first attempt included: 1 means no retry. */
  readonly maxAttempts: number;
  /** The same where nobody answered, which says nothing about the request. */
  readonly maxAttemptsUnanswered: number;
  readonly backoff: 'exponential' | 'constant';
  readonly initialMs: number;
  readonly maxMs: number;
  readonly retryOn: readonly RetryableError[];
}

/** Values of `error.code` of a failed run. */
export const RUN_ERROR_CODES = [
  'tool_error',
  'tool_denied',
  'approval_rejected',
  'approval_expired',
  'budget_exceeded',
  'step_limit',
  'timeout',
  'queue_expired',
  'output_invalid',
  'provider_error',
  'provider_rate_limited',
  'knowledge_forbidden',
  'knowledge_unavailable',
  'secret_missing',
  'worker_lost',
  'in_doubt',
  'policy_error',
  'assertion_failed',
  'internal_error',
] as const;

export type RunErrorCode = (typeof RUN_ERROR_CODES)[number];

/** Error of a run. `step` is the id of the step in the definition. It is null if the error belongs to no step. */
export type RunError = {
  code: RunErrorCode;
  message: string;
  step: string | null;
};

/**
 * The error of a call. `permanent`: the same request would fail again, so it is not retried. `unanswered`: the server
 * sent no response, so the call is retried even if the definition configures no retries. `retryAfterMs`: the delay that
 * the server requests.
 */
export type CallError = RunError & { permanent?: boolean; unanswered?: boolean; retryAfterMs?: number };

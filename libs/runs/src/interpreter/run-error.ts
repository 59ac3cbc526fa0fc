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

/** `step` is the id of the step in the definition; null if the error belongs to no step. */
export type RunError = {
  code: RunErrorCode;
  message: string;
  step: string | null;
};

/**
 * The error of a call. permanent: the same request would be refused again, so it is not retried. unanswered: the
 * server sent no answer, so the call is retried even if the definition asks for no retries. retryAfterMs: the delay
 * that the server asks for.
 */
export type CallError = RunError & { permanent?: boolean; unanswered?: boolean; retryAfterMs?: number };

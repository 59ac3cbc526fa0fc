/** Why a run failed, as `error.code` says it (contract, section 6). */
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

/** `step` is the id of the step in the definition; null where no step is to blame. */
export type RunError = {
  code: RunErrorCode;
  message: string;
  step: string | null;
};

/**
 * Why a call failed. permanent: the same request would be refused again, so it is not retried. unanswered: nobody
 * answered, so it is tried again even where the definition asks for no retries. retryAfterMs: how long whoever refused asks
 * to be left alone.
 */
export type CallError = RunError & { permanent?: boolean; unanswered?: boolean; retryAfterMs?: number };

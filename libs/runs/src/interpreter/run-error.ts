import type { JsonValue } from '@app/kernel';

/** Values of the field `error.code` of a failed run. */
export const RUN_ERROR_CODES = [
  'tool_error',
  'tool_denied',
  'approval_rejected',
  'approval_expired',
  'budget_exceeded',
  'step_limit',
  'loop_limit',
  'timeout',
  'queue_expired',
  'output_invalid',
  'provider_error',
  'provider_rate_limited',
  'knowledge_forbidden',
  'knowledge_unavailable',
  'secret_missing',
  'connection_forbidden',
  'connection_unavailable',
  'worker_lost',
  'recording_failed',
  'in_doubt',
  'file_missing',
  'file_too_large',
  'file_quota_exceeded',
  'file_refused',
  'policy_error',
  'assertion_failed',
  'code_error',
  'code_limit',
  'state_conflict',
  'internal_error',
] as const;

export type RunErrorCode = (typeof RUN_ERROR_CODES)[number];

export function isRunErrorCode(code: unknown): code is RunErrorCode {
  return RUN_ERROR_CODES.some((known) => known === code);
}

/** The error of a run. `step` is the id of the step in the definition, or null if the error belongs to no step. */
export type RunError = {
  code: RunErrorCode;
  message: string;
  step: string | null;
};

/**
 * - `permanent`: the same request would fail again, so the call is not retried. - `unanswered`: the server sent no
 * response, so the call is retried even if the definition configures no retries. - `retryAfterMs`: the delay before a
 * retry that the server requests, in milliseconds. - `awaitsStorage`: nothing was sent, because the storage of files did
 * not answer. - `postponed`: number of attempts of the call that failed for this reason. - `empty`: number of answers without text and calls that the model
 * of the attempt has sent in a row.
 */
export type CallError = RunError & {
  permanent?: boolean;
  unanswered?: boolean;
  retryAfterMs?: number;
  awaitsStorage?: boolean;
  postponed?: number;
  empty?: number;
  repeats?: number;
  spent?: readonly number[];
  status?: number;
  body?: JsonValue;
};

export type StepError = { code: RunErrorCode; message: string; status: number | null; body: JsonValue };

export function stepError({ code, message, status, body }: CallError): StepError {
  return { code, message, status: status ?? null, body: body ?? null };
}

/** Omits the HTTP status and the body of the response. */
export function runError({ code, message, step }: CallError): RunError {
  return { code, message, step };
}

import type { JsonObject, JsonValue } from '@app/kernel';
import type { CompiledTool, Scope, ToolOperation } from '@app/definition';
import type { RunErrorCode } from '../interpreter/run-error.js';
import type { RunMode } from '../records/run-status.js';
import type { SecretRedaction } from './secret-redaction.js';

/** One call of a tool, as it was recorded before it is made. */
export interface ToolCall {
  workspaceId: string;
  mode: RunMode;
  operation: ToolOperation;
  request: JsonObject;
  timeoutMs: number;
  /** What the expressions of the tool's `auth` and `headers` see, besides the request and the secrets. */
  context: Scope;
  /** One per logical call, the same for every try: what an idempotent receiver recognises. */
  idempotencyKey: string;
  /** Sent to the receiver so that it can tell calls apart: run, step, the workspace's epoch and the run's fencing token. */
  origin: { runId: string; step: string; epoch: string; attempt: number };
  /** Whose doing the run is, and whatever it starts; null where nobody started it. */
  initiator: string | null;
  /** What the run may spend in all, together with the runs that it starts; null: any amount. */
  budgetMicros: bigint | null;
  /** Aborts the call when its run is cancelled or taken away. */
  signal: AbortSignal;
  /** Asked immediately before the first byte leaves; false and nothing is sent. */
  mayStart: () => boolean;
}

/**
 * A call as the dispatcher hands it to an adapter: `facts` hold the values of secrets now. They go into the
 * headers of the request and nowhere else; whatever is cut off a response passes `redaction` first.
 */
export interface PreparedCall extends ToolCall {
  redaction: SecretRedaction;
}

/**
 * answered     the tool did what was asked; `output` is what the plan sees, `response` what a reconciliation sees.
 * refused      it certainly did not, or said so itself. `permanent`: it would say so again. `unanswered`: nobody answered.
 *              `retryAfterMs`: how long it asks to be left alone. `response`: what it said, where it said that what was
 *              asked about is not there (404, 410): to a reconciliation that is an answer.
 * not_started  nothing was sent because `mayStart` said no, or because the secrets could not be read just now.
 * unknown      something may have been sent and no answer came.
 * pending      what was asked for has begun and goes on without this process; the same call asks again what became of it.
 */
export type ToolCallResult =
  | { kind: 'answered'; output: JsonValue; response: JsonObject; detail: JsonObject }
  | (ToolCallFailure & {
      kind: 'refused';
      permanent?: boolean;
      unanswered?: boolean;
      retryAfterMs?: number;
      response?: JsonObject;
    })
  | { kind: 'not_started' }
  | { kind: 'pending' }
  | (ToolCallFailure & { kind: 'unknown' });

export interface ToolCallFailure {
  code: RunErrorCode;
  message: string;
  detail: JsonObject;
}

/** Nothing was sent, and nothing would be if it were tried again. */
export function refused(message: string, code: RunErrorCode = 'tool_error'): ToolCallResult {
  return { kind: 'refused', code, message, detail: { response_summary: message }, permanent: true };
}

/** What the tool offers could not be looked up, neither when its version was created nor when its run began. */
export function undescribed({ name }: Pick<CompiledTool, 'name'>): ToolCallResult {
  return refused(`What the tool ${name} offers could not be looked up, or is not what this version includes.`);
}

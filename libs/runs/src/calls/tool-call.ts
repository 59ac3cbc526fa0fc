import type { JsonObject, JsonValue } from '@app/kernel';
import type { CompiledTool, Scope, ToolOperation } from '@app/definition';
import type { RunErrorCode } from '../interpreter/run-error.js';
import type { RunMode } from '../records/run-status.js';
import type { SecretRedaction } from './secret-redaction.js';

export interface ToolCall {
  workspaceId: string;
  mode: RunMode;
  operation: ToolOperation;
  request: JsonObject;
  /** Texts of the request that must be redacted in the result. */
  hidden: readonly string[];
  timeoutMs: number;
  context: Scope;
  /** Identifies the logical call. All attempts of the call use the same key, so the receiver can deduplicate them. */
  idempotencyKey: string;
  /** Values that are sent to the receiver: run, step, epoch of the workspace, and fencing token of the run. */
  origin: { runId: string; step: string; epoch: string; attempt: number };
  /** E-mail address of the person who started the run. Null if no person started it. */
  initiator: string | null;
  /** The initial state of a run of an evaluation, by key. Null for other runs, which read the stored state. */
  stateBegin: JsonObject | null;
  /** Budget of the run including its child runs, in millionths of its currency. Null if there is no limit. */
  budgetMicros: bigint | null;
  signal: AbortSignal;
  /** Called immediately before the first byte is sent. If it returns false, nothing is sent. */
  mayStart: () => boolean;
}

/**
 * A call as an adapter receives it. `context` also contains the secrets, which adapters may use only for the request.
 * The adapter must pass text through `redaction` before it truncates the text.
 */
export interface PreparedCall extends ToolCall {
  redaction: SecretRedaction;
}

/**
 * - `answered`: the call succeeded. Later steps read `output`, and a reconciliation reads `response`.
 * - `refused`: the call failed or the tool reported an error. `permanent`: a retry would fail again. `unanswered`:
 *   there was no response. `retryAfterMs`: delay that the tool requests. `response`: set for 404 and 410, which show a
 *   reconciliation that the call had no effect.
 * - `not_started`: nothing was sent, because `mayStart` returned false or the database was unavailable.
 * - `unknown`: the request may have been sent, but there was no response.
 * - `pending`: the call has started and continues outside this process. Repeating the call returns its result.
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

/**
 * `status` and `body`: the HTTP status and the answer of the tool, if there was one. Later steps read them as
 * `steps.<id>.error`. The dispatcher redacts the body, and truncates it to `MAX_RECORDED_BYTES`.
 */
export interface ToolCallFailure {
  code: RunErrorCode;
  message: string;
  detail: JsonObject;
  status?: number;
  body?: JsonValue;
}

/** Returns a permanent failure of a call that was not sent. */
export function refused(message: string, code: RunErrorCode = 'tool_error'): ToolCallResult {
  return { kind: 'refused', code, message, detail: { response_summary: message }, permanent: true };
}

/**
 * Returns the result of a call of a tool whose operations were unknown when its version was created and when the run
 * started.
 */
export function undescribed({ name }: Pick<CompiledTool, 'name'>): ToolCallResult {
  return refused(
    `The operations of the tool ${name} could not be read, or they are not the operations that this version includes.`,
  );
}

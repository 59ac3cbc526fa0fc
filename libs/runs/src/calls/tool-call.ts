import { isJsonObject, type JsonObject, type JsonValue } from '@app/kernel';
import type { Scope, ToolOperation } from '@app/definition';
import type { RunErrorCode } from '../interpreter/run-error.js';
import type { RunPrivacy } from '../privacy/run-privacy.js';
import type { RunMode } from '../records/run-status.js';
import type { SecretRedaction } from '@app/platform/observability';

export interface ToolCall {
  workspaceId: string;
  mode: RunMode;
  operation: ToolOperation;
  request: JsonObject;
  /** Texts in the request that must be redacted in the result of the call. */
  hidden: readonly string[];
  /** What the run redacts. Absent for a call outside a run. */
  privacy?: RunPrivacy;
  timeoutMs: number;
  context: Scope;
  /**
   * Identifies the logical call. All attempts of the call send the same key, so that the receiver can detect
   * repetitions.
   */
  idempotencyKey: string;
  /**
   * Values that are sent to the receiver. `epoch` is the number of stops and resumes of the workspace. `attempt` is the
   * fencing token: the number of times that a worker has claimed the run.
   */
  origin: { runId: string; step: string; epoch: string; attempt: number };
  /** E-mail address of the person who started the run. Null if no person started it. */
  initiator: string | null;
  /**
   * The initial agent state by key, for a run of an evaluation. Null for other runs, which read the stored agent state.
   */
  stateBegin: JsonObject | null;
  /** Budget of the run including its child runs, in millionths of its currency. Null if there is no limit. */
  budgetMicros: bigint | null;
  signal: AbortSignal;
  /** Aborts when this process no longer executes the run. What a tool keeps between calls of a run then ends. */
  released: AbortSignal;
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

/** Returns the id of the agent that makes the call. */
export function agentIdOf({ agent }: Scope): string {
  return isJsonObject(agent) && typeof agent.id === 'string' ? agent.id : '';
}

/**
 * - `answered`: the call succeeded. Later steps read `output`. A reconciliation (`reconcile` in the definition) reads
 *   `response`.
 * - `refused`: the call failed, or the tool reported an error. `permanent`: a retry would fail too. `unanswered`: there
 *   was no response. `retryAfterMs`: the delay before a retry that the tool asks for. `isEmpty`: a model sent neither
 *   text nor calls. `response`: set for the statuses
 *   404 and 410, from which a reconciliation concludes that the call had no effect.
 * - `not_started`: nothing was sent, because `mayStart` returned false or the database was unavailable.
 * - `unknown`: the request may have been sent, but no response was received.
 * - `pending`: the call has started and continues outside this process. A repeated call returns its result.
 */
export type ToolCallResult =
  | { kind: 'answered'; output: JsonValue; response: JsonObject; detail: JsonObject }
  | (ToolCallFailure & {
      kind: 'refused';
      permanent?: boolean;
      unanswered?: boolean;
      retryAfterMs?: number;
      isEmpty?: boolean;
      response?: JsonObject;
    })
  | { kind: 'not_started' }
  | { kind: 'pending'; detail: JsonObject }
  | (ToolCallFailure & { kind: 'unknown' });

/**
 * A failed call. `status` and `body` are the HTTP status and the response body of the tool, if there was a response.
 * Later steps read them as `steps.<id>.error`. The dispatcher redacts the body, and truncates it to
 * `MAX_RECORDED_BYTES`.
 */
export interface ToolCallFailure {
  code: RunErrorCode;
  message: string;
  detail: JsonObject;
  status?: number;
  body?: JsonValue;
}

/** Returns the result of a call that was not sent and would fail again. */
export function refused(message: string, code: RunErrorCode = 'tool_error'): ToolCallResult {
  return { kind: 'refused', code, message, detail: { response_summary: message }, permanent: true };
}

/** Returns the result of a call whose operation is not described: its tool, or at least this operation, is unusable. */
export function undescribed({ name, unknownBecause }: { name: string; unknownBecause?: string }): ToolCallResult {
  return refused(
    unknownBecause === undefined
      ? `The operations of the tool ${name} could not be read, or they are not the operations that this version includes.`
      : `The operations of the tool ${name} are not known: ${unknownBecause}`,
  );
}

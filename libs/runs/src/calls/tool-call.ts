import { isJsonObject, type JsonObject, type JsonValue } from '@app/kernel';
import type { FileMembers, Scope, ToolOperation } from '@app/definition';
import type { FileRun } from '@app/files';
import type { RunErrorCode } from '../interpreter/run-error.js';
import type { RunPrivacy } from '../privacy/run-privacy.js';
import type { RunMode } from '../records/run-status.js';
import type { SecretRedaction } from '@app/platform/observability';

export interface ToolCall {
  workspaceId: string;
  mode: RunMode;
  operation: ToolOperation;
  request: JsonObject;
  hidden: readonly string[];
  privacy?: RunPrivacy;
  /** The run as it refers to files. Absent for a call outside a run, which can use no stored file. */
  fileRun?: FileRun;
  timeoutMs: number;
  context: Scope;
  /**
   * Identifies the logical call. All attempts of the call send the same key, so that the receiver can detect
   * repetitions.
   */
  idempotencyKey: string;
  /**
   * `epoch` is the number of stops and resumes of the workspace. `attempt` is the fencing token: the number of times
   * that a worker has claimed the run.
   */
  origin: { runId: string; step: string; epoch: string; attempt: number };
  initiator: string | null;
  stateBegin: JsonObject | null;
  /** Null if there is no limit. */
  budgetMicros: bigint | null;
  signal: AbortSignal;
  /** What a tool keeps between calls of a run then ends. */
  released: AbortSignal;
  mayStart: () => boolean;
}

/**
 * `context` also contains the secrets, which adapters may use only for the request. The adapter must pass text through
 * `redaction` before it truncates the text.
 */
export interface PreparedCall extends ToolCall {
  redaction: SecretRedaction;
  files: FileMembers;
}

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
 * A failed call. `awaitsStorage`: the storage of files did not answer, and the call can be made again without harm, also
 * if it is a write that must not be repeated. `status` and `body` are the HTTP status and the response body of the tool,
 * if there was a response. Later steps read them as `steps.<id>.error`. The dispatcher redacts the body, and truncates
 * it to `MAX_RECORDED_BYTES`.
 */
export interface ToolCallFailure {
  code: RunErrorCode;
  message: string;
  detail: JsonObject;
  awaitsStorage?: boolean;
  status?: number;
  body?: JsonValue;
}

export function refused(message: string, code: RunErrorCode = 'tool_error'): ToolCallResult {
  return { kind: 'refused', code, message, detail: { response_summary: message }, permanent: true };
}

export function undescribed({ name, unknownBecause }: { name: string; unknownBecause?: string }): ToolCallResult {
  return refused(
    unknownBecause === undefined
      ? `The operations of the tool ${name} could not be read, or they are not the operations that this version includes.`
      : `The operations of the tool ${name} are not known: ${unknownBecause}`,
  );
}

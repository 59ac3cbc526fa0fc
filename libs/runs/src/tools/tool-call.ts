import type { JsonObject, JsonValue } from '@app/kernel';
import type { ToolOperation } from '@app/agents/definition';
import type { RunErrorCode } from '../engine/run-error.js';

/** One call of a tool, as it was recorded before it is made. */
export interface ToolCall {
  operation: ToolOperation;
  request: JsonObject;
  /** One per logical call, the same for every try: what an idempotent receiver recognises. */
  idempotencyKey: string;
  /** Sent to the receiver so that it can tell calls apart: run, step and the workspace's epoch. */
  origin: { runId: string; step: string; epoch: string };
  /** Aborts the call when its run is cancelled or taken away. */
  signal: AbortSignal;
  /** Asked immediately before the first byte leaves; false and nothing is sent. */
  mayStart: () => boolean;
}

/**
 * answered     the tool did what was asked; `output` is what the plan sees.
 * refused      it certainly did not, or said so itself; trying again is safe.
 * not_started  nothing was sent because `mayStart` said no.
 * unknown      something may have been sent and no answer came.
 */
export type ToolCallResult =
  | { kind: 'answered'; output: JsonValue; detail: JsonObject }
  | { kind: 'refused'; code: RunErrorCode; message: string; detail: JsonObject }
  | { kind: 'not_started' }
  | { kind: 'unknown'; code: RunErrorCode; message: string; detail: JsonObject };

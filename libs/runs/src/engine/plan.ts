import type { JsonObject, JsonValue } from '@app/kernel';
import type { ToolOperation } from '@app/agents/definition';
import type { RunError } from './run-error.js';

/**
 * The words between the interpreter and whoever drives it.
 *
 * path     names one step of one run: `invoice`, or `lines[3].check` in the fourth round of a loop. It is the key under
 *          which a result is recorded, so it is the same every time the run is interpreted.
 * call     a tool call that the interpreter needs the outcome of before it can go on.
 * outcome  what became of a call.
 * note     a step of the trace that called nothing.
 */
export interface Call {
  path: string;
  /** Id of the step in the definition, for errors. */
  stepId: string;
  operation: ToolOperation;
  request: JsonObject;
}

export type Outcome = { ok: true; output: JsonValue } | { ok: false; error: RunError };

export type Outcomes = ReadonlyMap<string, Outcome>;

export const NOTE_TYPES = ['assertion', 'output', 'error', 'hand_off'] as const;
export type NoteType = (typeof NOTE_TYPES)[number];

export interface Note {
  path: string;
  type: NoteType;
  state: 'succeeded' | 'failed';
  detail: JsonObject;
}

export type Ending =
  | { status: 'succeeded'; output: JsonValue }
  | { status: 'handed_off'; output: JsonValue }
  | { status: 'failed'; error: RunError };

/** What comes next: outcomes that are needed, or the end. Notes are new since the previous decision. */
export type Decision =
  | { kind: 'calls'; calls: readonly Call[]; notes: readonly Note[] }
  | { kind: 'end'; ending: Ending; notes: readonly Note[] };

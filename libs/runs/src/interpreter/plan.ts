import type {
  ApprovalRule,
  ModelChoice,
  ModelParams,
  OperationEffect,
  OperationScope,
  ToolOperation,
} from '@app/definition';
import type { JsonObject, JsonValue } from '@app/kernel';
import type { Prompt } from './prompt.js';
import type { CallError, RunError } from './run-error.js';

/**
 * Types shared by the interpreter and its caller.
 *
 * path     names one step of one run: `invoice`, or `lines[3].check` in the fourth round of a loop. It is the key of
 *          the recorded result, so it is the same every time the run is interpreted.
 * ask      a request whose outcome the interpreter needs before it can continue: a call, a wait, an approval.
 * outcome  the result of an ask.
 * note     a step of the trace without a call.
 */
interface AskBase {
  path: string;
  /** Id of the step in the definition, for errors; null where no step asks. */
  stepId: string | null;
}

interface OutboundBase extends AskBase {
  timeoutMs: number;
  /** 1 for the first try. */
  try: number;
  /** Minimum delay after the failure of the previous try, in milliseconds. */
  delayMs: number;
}

export interface Call extends OutboundBase {
  kind: 'call';
  operation: ToolOperation;
  request: JsonObject;
  /** What expressions about the call see as `steps`: the outputs in scope where it is made. */
  steps: JsonObject;
}

/** One turn of a model. Its outcome is a recorded {@link Turn}. */
export interface ModelCall extends OutboundBase {
  kind: 'model_call';
  model: ModelChoice;
  params: ModelParams;
  /** Built when it is sent, because a conversation can be large and is asked for more often than it is sent. */
  prompt: () => Prompt;
}

/** What leaves the service. */
export type Outbound = Call | ModelCall;

/** Nothing happens until a time; exactly one of the two is set. */
export interface Wait extends AskBase {
  kind: 'wait';
  forMs: number | null;
  /** RFC 3339. */
  until: string | null;
}

/** A person has to approve the step itself. */
export interface ApprovalRequest extends AskBase {
  kind: 'approval';
  rule: ApprovalRule;
  show: JsonObject;
}

export type Ask = Outbound | Wait | ApprovalRequest;

/** `tries`: number of tries of the call. `refusal`: people refused the call, and the run continues without it. */
export type Outcome =
  { ok: true; output: JsonValue; refusal?: CallError } | { ok: false; error: CallError; tries: number };

export type Outcomes = ReadonlyMap<string, Outcome>;

const NOTE_TYPES = ['assertion', 'output', 'error', 'hand_off', 'reasoning'] as const;
export type NoteType = (typeof NOTE_TYPES)[number];

export function isNoteType(type: string): type is NoteType {
  return (NOTE_TYPES as readonly string[]).includes(type);
}

interface PlainNote {
  path: string;
  type: NoteType;
  state: 'succeeded' | 'failed';
  detail: JsonObject;
}

/** A call that a model asked for and that cannot be made: its tool is unknown or its arguments do not fit. */
interface ImpossibleCall {
  path: string;
  type: 'tool_call';
  state: 'failed';
  tool: string;
  scope?: OperationScope;
  effect?: OperationEffect;
  request: JsonObject;
  error: CallError;
  detail: JsonObject;
}

export type Note = PlainNote | ImpossibleCall;

export type RunOutcome =
  | { status: 'succeeded'; output: JsonValue }
  | { status: 'handed_off'; output: JsonValue }
  | { status: 'failed'; error: RunError };

/**
 * The next decision: asks whose outcomes are needed, the end, or a pause. After a pause the plan has used up its turn
 * and continues with the next call of `next`. Notes are new since the previous decision.
 */
export type Decision =
  | { kind: 'pause'; notes: readonly Note[] }
  | { kind: 'asks'; asks: readonly Ask[]; notes: readonly Note[] }
  | { kind: 'end'; outcome: RunOutcome; notes: readonly Note[] };

/**
 * The id of the step in the definition that a recorded path belongs to: its last part, without the turns and calls of
 * a model (`triage.turn[2].call[1]` is `triage`). Null if the model was asked by the agent and not by a step. Ids
 * contain no brackets. The counterpart of sql/step_of.sql.
 */
export function stepOf(path: string): string | null {
  const [own = ''] = path.split('#');
  const place = own.replace(/(^|\.)turn\[\d+\](\.call\[\d+\])?$/, '');
  return place.slice(place.lastIndexOf('.') + 1) || null;
}

import type {
  ApprovalRule,
  CodeLimits,
  ModelChoice,
  ModelParams,
  OperationEffect,
  OperationScope,
  QuestionTimeout,
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
  /** Id of the step in the definition, for error messages. Null if the ask belongs to no step. */
  stepId: string | null;
}

interface OutboundBase extends AskBase {
  timeoutMs: number;
  /** Number of this attempt of the call, starting at 1. */
  try: number;
  /** Minimum delay after the failure of the previous attempt, in milliseconds. */
  delayMs: number;
}

export interface Call extends OutboundBase {
  kind: 'call';
  operation: ToolOperation;
  request: JsonObject;
  /** The value of `steps` in expressions about the call: the outputs in scope at the call. */
  steps: JsonObject;
  /** The callback URLs that the request may contain, with placeholders instead of tokens. */
  callbacks?: readonly RecordedCallbackUrl[];
}

/** A callback URL as it is recorded in requests. `path` is the path of the step that waits for the call. */
export interface RecordedCallbackUrl {
  path: string;
  placeholder: string;
  url: string;
}

/** One turn of a model. Its outcome is a recorded {@link Turn}. */
export interface ModelCall extends OutboundBase {
  kind: 'model_call';
  model: ModelChoice;
  params: ModelParams;
  /**
   * Returns the prompt. It is built only when it is sent, because a prompt can be large and the same ask is returned
   * several times.
   */
  prompt: () => Prompt;
}

/** Requests that leave the service. */
export type Outbound = Call | ModelCall;

/**
 * Waits for a duration (`forMs`) or until a time (`until`). Exactly one of the two is set. `isDelay`: the wait between
 * two rounds of a loop, which evaluations skip.
 */
export interface Wait extends AskBase {
  kind: 'wait';
  forMs: number | null;
  /** Time in RFC 3339 format. */
  until: string | null;
  isDelay?: true;
}

export interface ApprovalRequest extends AskBase {
  kind: 'approval';
  rule: ApprovalRule;
  show: JsonObject;
}

/** A question to people. Its outcome is the answer, or null if it expires and the run continues. */
export interface Question extends AskBase {
  kind: 'question';
  to: readonly string[];
  title: string | null;
  /** JSON Schema of the answer. */
  form: JsonObject;
  show: JsonObject;
  timeoutMs: number;
  onTimeout: QuestionTimeout;
}

/** Waits for a call of a callback URL. The outcome is the body of the call. */
export interface CallbackRequest extends AskBase {
  kind: 'callback';
  timeoutMs: number;
  /** Simulated body of the callback. Always null outside mode `test`. If it is null, nothing is simulated. */
  simulated: JsonValue;
}

/** The function of a `code` step. The caller of the interpreter executes it. */
export interface CodeCall extends AskBase {
  kind: 'code';
  source: string;
  input: JsonValue;
  limits: CodeLimits;
}

export type Ask = Outbound | Wait | ApprovalRequest | Question | CallbackRequest | CodeCall;

/**
 * `tries`: number of attempts of the call. `refusal`: set if people rejected the call and the run continues without it.
 */
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

/**
 * A call that a model requested and that cannot be made, because its tool is unknown or its arguments do not match the
 * schema.
 */
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
 * The next decision: asks whose outcomes are needed, the end of the run, or a pause. At a pause, the interpreter has
 * used up its turn, and the plan continues with the next call of `next`. The notes are new since the previous decision.
 */
export type Decision =
  | { kind: 'pause'; notes: readonly Note[] }
  | { kind: 'asks'; asks: readonly Ask[]; notes: readonly Note[] }
  | { kind: 'end'; outcome: RunOutcome; notes: readonly Note[] };

/**
 * Returns the id of the step in the definition that a recorded path belongs to. Returns null if the path belongs to the
 * model of the agent and not to a step. For `triage.turn[2].call[1]`, the id is `triage`. For `pages[0]`, the wait
 * between two rounds of a loop, it is `pages`. Ids contain no brackets. sql/step_of.sql does the same.
 */
export function stepOf(path: string): string | null {
  const [own = ''] = path.split('#');
  const place = own.replace(/(^|\.)turn\[\d+\](\.call\[\d+\])?$/, '');
  return place.slice(place.lastIndexOf('.') + 1).replace(/\[\d+\]$/, '') || null;
}

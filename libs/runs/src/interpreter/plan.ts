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
 * Types that the interpreter shares with its caller.
 *
 * path     identifies one step of one run: `invoice`, or `lines[3].check` in the fourth round of a loop. The result is
 *          recorded under the path, so the path is the same each time the run is interpreted.
 * ask      a request of the interpreter to its caller: a call, a wait, an approval, a question or code. The interpreter
 *          needs the outcome before it can continue.
 * outcome  the result of an ask.
 * note     a record for the trace that belongs to no ask.
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
  /** Minimum delay in milliseconds between the failure of the previous attempt and this attempt. */
  delayMs: number;
}

export interface Call extends OutboundBase {
  kind: 'call';
  operation: ToolOperation;
  request: JsonObject;
  /** The value of the variable `steps` in expressions about the call: the outputs that the call can read. */
  steps: JsonObject;
  /** The callback URLs that the request may contain. They contain placeholders instead of tokens. */
  callbacks?: readonly RecordedCallbackUrl[];
}

/**
 * A callback URL in the form that is recorded in requests, with a placeholder instead of the token. `path` is the path
 * of the step that waits for the callback.
 */
export interface RecordedCallbackUrl {
  path: string;
  placeholder: string;
  url: string;
}

/** Asks for one turn of a model. The `output` of the outcome is the {@link Turn}, as it is recorded. */
export interface ModelCall extends OutboundBase {
  kind: 'model_call';
  model: ModelChoice;
  params: ModelParams;
  /** Position of the model among the model of the definition and its fallbacks. */
  position: number;
  /** See `NextTry`. */
  repeats: number;
  spent: readonly number[];
  /** True if this attempt repeats the request that got an empty answer. */
  isRepeat: boolean;
  /**
   * Builds the prompt. Called only when the prompt is sent, because a prompt can be large and the interpreter returns
   * the same ask several times.
   */
  prompt: () => Prompt;
}

/** Asks that call a tool or a model. */
export type Outbound = Call | ModelCall;

/**
 * Waits for a duration in milliseconds (`forMs`) or until a time (`until`). Exactly one of the two is not null.
 * `isDelay` marks the wait between two rounds of a loop. Evaluations skip this wait.
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

/**
 * A question to people. Its output is the answer. If the question expires and the run continues, the output is null.
 */
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

/** Waits until another system calls a callback URL. The output is the body of that request. */
export interface CallbackRequest extends AskBase {
  kind: 'callback';
  timeoutMs: number;
  /** Simulated body of the callback. Always null outside mode `test`. If it is null, nothing is simulated. */
  simulated: JsonValue;
}

/** The code of a `code` step, with its input. The caller of the interpreter executes it. */
export interface CodeCall extends AskBase {
  kind: 'code';
  source: string;
  input: JsonValue;
  limits: CodeLimits;
}

export type Ask = Outbound | Wait | ApprovalRequest | Question | CallbackRequest | CodeCall;

/**
 * `tries`: number of attempts of a failed call. `refusal`: set if people rejected the call and the run continues
 * without the call.
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
 * A call that a model requested, but that cannot be made, because its tool is unknown or its arguments do not match the
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
 * The next decision of the interpreter. `asks`: the plan needs the outcomes of these asks. `end`: the run has ended.
 * `pause`: a long computation is interrupted, and continues at the next call of `next`. `notes` are the notes since the
 * previous decision.
 */
export type Decision =
  | { kind: 'pause'; notes: readonly Note[] }
  | { kind: 'asks'; asks: readonly Ask[]; notes: readonly Note[] }
  | { kind: 'end'; outcome: RunOutcome; notes: readonly Note[] };

/**
 * Returns the id of the step in the definition to which a recorded path belongs. Returns null if the path belongs to
 * the model of an agent without steps. The id for `triage.turn[2].call[1]` is `triage`. The id for `pages[0]`, the wait
 * between two rounds of a loop, is `pages`. Step ids contain no brackets. sql/step_of.sql implements the same function.
 */
export function stepOf(path: string): string | null {
  const [own = ''] = path.split('#');
  const place = own.replace(/(^|\.)turn\[\d+\](\.call\[\d+\])?$/, '');
  return place.slice(place.lastIndexOf('.') + 1).replace(/\[\d+\]$/, '') || null;
}

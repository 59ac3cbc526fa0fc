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
 * The result is recorded under the path, so the path is the same each time the run is interpreted. ask a request of the
 * interpreter to its caller: a call, a wait, an approval, a question or code.
 */
interface AskBase {
  path: string;
  /** Null if the ask belongs to no step. */
  stepId: string | null;
}

interface OutboundBase extends AskBase {
  timeoutMs: number;
  try: number;
  delayMs: number;
  /** Number of earlier attempts that sent nothing, because the storage of files did not answer. */
  postponed?: number;
}

export interface Call extends OutboundBase {
  kind: 'call';
  operation: ToolOperation;
  request: JsonObject;
  steps: JsonObject;
  /** They contain placeholders instead of tokens. */
  callbacks?: readonly RecordedCallbackUrl[];
}

/** `path` is the path of the step that waits for the callback. */
export interface RecordedCallbackUrl {
  path: string;
  placeholder: string;
  url: string;
}

/** The `output` of the outcome is the {@link Turn}, as it is recorded. */
export interface ModelCall extends OutboundBase {
  kind: 'model_call';
  model: ModelChoice;
  params: ModelParams;
  position: number;
  repeats: number;
  spent: readonly number[];
  isRepeat: boolean;
  /**
   * Called only when the prompt is sent, because a prompt can be large and the interpreter returns the same ask several
   * times.
   */
  prompt: () => Prompt;
}

export type Outbound = Call | ModelCall;

/** Exactly one of the two is not null. Evaluations skip this wait. */
export interface Wait extends AskBase {
  kind: 'wait';
  forMs: number | null;
  until: string | null;
  isDelay?: true;
}

export interface ApprovalRequest extends AskBase {
  kind: 'approval';
  rule: ApprovalRule;
  show: JsonObject;
}

/** If the question expires and the run continues, the output is null. */
export interface Question extends AskBase {
  kind: 'question';
  to: readonly string[];
  title: string | null;
  form: JsonObject;
  show: JsonObject;
  timeoutMs: number;
  onTimeout: QuestionTimeout;
}

/** The output is the body of that request. */
export interface CallbackRequest extends AskBase {
  kind: 'callback';
  timeoutMs: number;
  /** Always null outside mode `test`. If it is null, nothing is simulated. */
  simulated: JsonValue;
}

/** The caller of the interpreter executes it. */
export interface CodeCall extends AskBase {
  kind: 'code';
  source: string;
  input: JsonValue;
  limits: CodeLimits;
}

export type Ask = Outbound | Wait | ApprovalRequest | Question | CallbackRequest | CodeCall;

/** `refusal`: set if people rejected the call and the run continues without the call. */
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
 * The id for `triage.turn[2].call[1]` is `triage`. The id for `pages[0]`, the wait between two rounds of a loop, is
 * `pages`. Step ids contain no brackets. sql/step_of.sql implements the same function.
 */
export function stepOf(path: string): string | null {
  const [own = ''] = path.split('#');
  const place = own.replace(/(^|\.)turn\[\d+\](\.call\[\d+\])?$/, '');
  return place.slice(place.lastIndexOf('.') + 1).replace(/\[\d+\]$/, '') || null;
}

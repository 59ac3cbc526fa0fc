import type { SchemaValidator } from '../json-schema/schema-validator.js';
import type { Condition, Expression, Template } from '../expressions/expression.js';

export const STEP_KINDS = [
  'tool',
  'retrieve',
  'let',
  'code',
  'switch',
  'for_each',
  'repeat',
  'parallel',
  'approval',
  'ask',
  'wait',
  'agent',
  'assert',
  'hand_off',
  'fail',
  'output',
] as const;
export type StepKind = (typeof STEP_KINDS)[number];

/** The properties that all kinds of steps share. */
export interface StepBase {
  /** Unique in the whole definition. `steps.<id>.output` is the output of the step. */
  readonly id: string;
  /** JSON Pointer of the step in the definition. */
  readonly pointer: string;
  /** False skips the step. */
  readonly if: Condition | null;
  /** Time limit of a call, an approval, a `wait` or a whole block. All other kinds are instant. */
  readonly timeoutMs: number | null;
  /** The retry policy of the step or of its enclosing block. If null, the `retry` of the definition applies. */
  readonly retry: RetryPolicy | null;
  /** If true, a failure is recorded and the plan continues. */
  readonly continueOnError: boolean;
}

/** The output is the response of the tool. */
export interface ToolStep extends StepBase {
  readonly kind: 'tool';
  /** Full name of the operation. */
  readonly operation: string;
  /** Evaluates to the request object. */
  readonly with: Template;
  /** The callback URLs that the request contains. */
  readonly callbacks?: readonly CallbackUse[];
}

/** The output is `{passages: [...]}`. */
export interface RetrieveStep extends StepBase {
  readonly kind: 'retrieve';
  readonly base: string;
  readonly query: Template;
  readonly topK: number;
}

/** The output is the object of computed values. A value cannot read the other values of the same step. */
export interface LetStep extends StepBase {
  readonly kind: 'let';
  readonly values: Template;
}

/** Executes a pure function. The output is its result. */
export interface CodeStep extends StepBase {
  readonly kind: 'code';
  /** Evaluates to the argument. */
  readonly with: Template;
  /** A module in JavaScript, whose default export is the function. */
  readonly source: string;
  readonly limits: CodeLimits;
}

export interface CodeLimits {
  readonly memoryBytes: number;
  /** Time of the execution, without the time for which the step waits for a free thread. */
  readonly timeMs: number;
}

/**
 * Runs the first branch whose condition is true, or none. The output is the output of the last step of that branch, or
 * null.
 */
export interface SwitchStep extends StepBase {
  readonly kind: 'switch';
  readonly branches: readonly SwitchBranch[];
}

export interface SwitchBranch {
  /** If null, the condition is always true. Only the last branch can have null. */
  readonly when: Condition | null;
  readonly steps: readonly CompiledStep[];
}

/** The output is a list with the output of the last inner step for each item, in the order of the items. */
export interface ForEachStep extends StepBase {
  readonly kind: 'for_each';
  /** Evaluates to a list. */
  readonly items: Template;
  /** The name of the item in the expressions of the inner steps. */
  readonly as: string;
  readonly maxParallel: number;
  readonly steps: readonly CompiledStep[];
}

/** Repeats steps and carries values from one round to the next. The output is `{carry, rounds}`. */
export interface RepeatStep extends StepBase {
  readonly kind: 'repeat';
  /** Evaluates to the values of `carry` in the first round. */
  readonly carry: Template;
  readonly steps: readonly CompiledStep[];
  /** Evaluates to the values of `carry` that change after a round. Null if none changes. */
  readonly next: Template | null;
  /** Ends the loop if it is true after a round. */
  readonly until: Condition | null;
  /** Ends the loop if it is false before a round. */
  readonly while: Condition | null;
  readonly max: number;
  /** If true, the loop succeeds after `max` rounds. Otherwise, it fails with `loop_limit`. */
  readonly continuesAtMax: boolean;
  /** Evaluates to the duration of the wait between two rounds. */
  readonly delay: Template | null;
}

/** The output is a list with the output of the last step of each branch. */
export interface ParallelStep extends StepBase {
  readonly kind: 'parallel';
  readonly branches: readonly (readonly CompiledStep[])[];
}

/** The output is `{decision, decided_by, comment}`. */
export interface ApprovalStep extends StepBase {
  readonly kind: 'approval';
  /** Name of the approval rule. */
  readonly approval: string;
  /** Replaces the `show` of the rule if it is not empty. */
  readonly show: readonly Expression[];
}

export const QUESTION_TIMEOUTS = ['fail', 'hand_off', 'continue'] as const;
/** What happens without an answer in time. `continue`: the output is null. */
export type QuestionTimeout = (typeof QUESTION_TIMEOUTS)[number];

/** The output is the answer, which matches the form. */
export interface AskStep extends StepBase {
  readonly kind: 'ask';
  /** Group names. */
  readonly to: readonly string[];
  readonly form: SchemaValidator;
  readonly title: Template | null;
  /** The values that people see, with their source text. */
  readonly show: readonly Expression[];
  readonly waitMs: number;
  readonly onTimeout: QuestionTimeout;
}

/** Exactly one of `for`, `until` and `callback` is set. The output is null, or the body of the callback. */
export interface WaitStep extends StepBase {
  readonly kind: 'wait';
  /** Evaluates to a duration such as `5m`. */
  readonly for: Template | null;
  /** Evaluates to an RFC 3339 time. */
  readonly until: Template | null;
  readonly callback?: CallbackWait;
}

/** A call from outside that a step waits for. */
export interface CallbackWait {
  readonly timeoutMs: number;
  /** If null, the body may be any object. */
  readonly schema: SchemaValidator | null;
  /** The body in mode `test`. If null, the run waits. */
  readonly simulate: Template | null;
}

/** A mention of `steps.<id>.callback_url` in the request of a tool step. */
export interface CallbackUse {
  /** Id of the step that waits for the call. */
  readonly step: string;
  /** Number of loops that contain this step. */
  readonly depth: number;
}

/** Runs a model with some of the tools inside the plan. The output is the answer of the model. */
export interface AgentStep extends StepBase {
  readonly kind: 'agent';
  readonly instructions: Template;
  readonly with: Template | null;
  /** Full names of the operations that the model may call. If null, it may call all operations. */
  readonly operations: readonly string[] | null;
  readonly output: SchemaValidator | null;
  readonly maxSteps: number | null;
}

/** If the condition is false, the run fails with `assertion_failed`. The output is true. */
export interface AssertStep extends StepBase {
  readonly kind: 'assert';
  readonly condition: Condition;
  readonly message: Template | null;
}

/** Ends the run with the status handed_off. */
export interface HandOffStep extends StepBase {
  readonly kind: 'hand_off';
  readonly to: readonly string[];
  readonly reason: Template | null;
}

/** Ends the run with the status failed. */
export interface FailStep extends StepBase {
  readonly kind: 'fail';
  readonly message: Template;
}

/** Sets the output of the run. If several such steps run, the last one decides. The plan continues. */
export interface OutputStep extends StepBase {
  readonly kind: 'output';
  readonly value: Template;
}

export type CompiledStep =
  | ToolStep
  | RetrieveStep
  | LetStep
  | CodeStep
  | SwitchStep
  | ForEachStep
  | RepeatStep
  | ParallelStep
  | ApprovalStep
  | AskStep
  | WaitStep
  | AgentStep
  | AssertStep
  | HandOffStep
  | FailStep
  | OutputStep;

/** The compiled step of each kind. */
export type StepsByKind = { readonly [Kind in StepKind]: Extract<CompiledStep, { readonly kind: Kind }> };

export const RETRYABLE_ERRORS = [
  'tool_error',
  'timeout',
  'provider_error',
  'provider_rate_limited',
  'knowledge_unavailable',
] as const;
export type RetryableError = (typeof RETRYABLE_ERRORS)[number];

/** A retry policy. It is never applied to a call whose effect is at_most_once. */
export interface RetryPolicy {
  /** Number of attempts, including the first. 1 means no retry. */
  readonly maxAttempts: number;
  /** Maximum number of attempts if the calls get no response. */
  readonly maxAttemptsUnanswered: number;
  readonly backoff: 'exponential' | 'constant';
  readonly initialMs: number;
  readonly maxMs: number;
  readonly retryOn: readonly RetryableError[];
}

import type { SchemaValidator } from '@app/json-schema';
import type { Condition, Expression, Template } from '@app/cel';

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

export interface StepBase {
  /** The id is unique in the whole definition. `steps.<id>.output` is the output of the step. */
  readonly id: string;
  readonly pointer: string;
  /** If the condition is false, the step is skipped. */
  readonly if: Condition | null;
  /**
   * Time limit of a call, a question, an approval, a `wait` or a whole block. It has no effect on other kinds of steps.
   */
  readonly timeoutMs: number | null;
  /** The retry policy of the step or of its enclosing block. If null, the `retry` of the definition applies. */
  readonly retry: RetryPolicy | null;
  readonly continueOnError: boolean;
}

/** Calls an operation of a tool. The output is the response of the tool. */
export interface ToolStep extends StepBase {
  readonly kind: 'tool';
  /** Full name of the operation, such as `orders.get`. */
  readonly operation: string;
  readonly with: Template;
  readonly callbacks?: readonly CallbackUse[];
}

/** Searches knowledge bases. The output is `{passages: [...]}`. */
export interface RetrieveStep extends StepBase {
  readonly kind: 'retrieve';
  readonly base: string;
  readonly query: Template;
  readonly topK: number;
}

/** Computes values. The output is the object of these values. A value cannot read the other values of the same step. */
export interface LetStep extends StepBase {
  readonly kind: 'let';
  readonly values: Template;
}

/** Executes a pure function. The output is its result. */
export interface CodeStep extends StepBase {
  readonly kind: 'code';
  /** Evaluates to the argument of the function. */
  readonly with: Template;
  readonly source: string;
  readonly limits: CodeLimits;
}

export interface CodeLimits {
  readonly memoryBytes: number;
  /** Maximum execution time. The time that the step waits for a free thread does not count. */
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
  /** Condition of the branch. If null, the branch always matches. Only the last branch may have null. */
  readonly when: Condition | null;
  readonly steps: readonly CompiledStep[];
}

/**
 * Runs steps for each item of a list. The output is a list with the output of the last inner step for each item, in the
 * order of the items.
 */
export interface ForEachStep extends StepBase {
  readonly kind: 'for_each';
  /** Evaluates to a list. */
  readonly items: Template;
  readonly as: string;
  readonly maxParallel: number;
  readonly steps: readonly CompiledStep[];
}

/** Repeats steps and carries values from one round to the next. The output is `{carry, rounds}`. */
export interface RepeatStep extends StepBase {
  readonly kind: 'repeat';
  /** Evaluates to the initial values of `carry`. */
  readonly carry: Template;
  readonly steps: readonly CompiledStep[];
  /** Evaluates to new values for `carry` after a round. Values without a new value, or all if null, stay the same. */
  readonly next: Template | null;
  /** If true after a round, the loop ends. */
  readonly until: Condition | null;
  /** If false before a round, the loop ends. */
  readonly while: Condition | null;
  readonly max: number;
  /** Whether the loop succeeds if it reaches `max` rounds. If false, it fails with `loop_limit`. */
  readonly continuesAtMax: boolean;
  /** Evaluates to the pause between two rounds: a duration such as `5m`. */
  readonly delay: Template | null;
}

/** Runs branches at the same time. The output is a list with the output of the last step of each branch. */
export interface ParallelStep extends StepBase {
  readonly kind: 'parallel';
  readonly branches: readonly (readonly CompiledStep[])[];
}

/** Waits for an approval. The output is `{decision, decided_by, comment}`. */
export interface ApprovalStep extends StepBase {
  readonly kind: 'approval';
  readonly approval: string;
  /** If not empty, replaces the `show` of the approval rule. */
  readonly show: readonly Expression[];
}

export const QUESTION_TIMEOUTS = ['fail', 'hand_off', 'continue'] as const;
/** What happens if the time limit ends without an answer. `continue`: the plan continues, and the output is null. */
export type QuestionTimeout = (typeof QUESTION_TIMEOUTS)[number];

/** Asks people a question with a form. The output is the answer, which matches the form. */
export interface AskStep extends StepBase {
  readonly kind: 'ask';
  /** Names of the groups whose members may answer. */
  readonly to: readonly string[];
  readonly form: SchemaValidator;
  readonly title: Template | null;
  readonly show: readonly Expression[];
  readonly waitMs: number;
  readonly onTimeout: QuestionTimeout;
}

/**
 * Waits for a time or for a callback. Exactly one of `for`, `until` and `callback` is set. With `callback`, the output
 * is the body of the callback. With `for` or `until`, the output is null.
 */
export interface WaitStep extends StepBase {
  readonly kind: 'wait';
  /** Evaluates to a duration such as `5m`. */
  readonly for: Template | null;
  /** Evaluates to an RFC 3339 time. */
  readonly until: Template | null;
  readonly callback?: CallbackWait;
}

/** A wait that ends when another system calls the callback URL of the step. */
export interface CallbackWait {
  readonly timeoutMs: number;
  /** If null, the body may be any object. */
  readonly schema: SchemaValidator | null;
  /** The body of the simulated callback in mode `test`. If null, the run waits for a real callback in this mode too. */
  readonly simulate: Template | null;
}

/** A use of `steps.<id>.callback_url` in the request of a tool step. */
export interface CallbackUse {
  /** Id of the step that waits for the callback. */
  readonly step: string;
  /** Number of loops around the step that waits. */
  readonly depth: number;
}

/** Lets a model with some of the tools work on one part of the plan. The output is the answer of the model. */
export interface AgentStep extends StepBase {
  readonly kind: 'agent';
  readonly instructions: Template;
  readonly with: Template | null;
  /** Full names of the operations that the model may call. If null, it may call all operations. */
  readonly operations: readonly string[] | null;
  readonly output: SchemaValidator | null;
  readonly maxSteps: number | null;
}

/** Checks a condition. If it is false, the run fails with `assertion_failed`. The output is true. */
export interface AssertStep extends StepBase {
  readonly kind: 'assert';
  readonly condition: Condition;
  readonly message: Template | null;
}

export interface HandOffStep extends StepBase {
  readonly kind: 'hand_off';
  readonly to: readonly string[];
  readonly reason: Template | null;
}

export interface FailStep extends StepBase {
  readonly kind: 'fail';
  readonly message: Template;
}

/** Sets the output of the run and continues the plan. A later step of this kind replaces the output. */
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

export type StepsByKind = { readonly [Kind in StepKind]: Extract<CompiledStep, { readonly kind: Kind }> };

export const RETRYABLE_ERRORS = [
  'tool_error',
  'timeout',
  'provider_error',
  'provider_rate_limited',
  'knowledge_unavailable',
] as const;
export type RetryableError = (typeof RETRYABLE_ERRORS)[number];

/** How failed calls are retried. A call whose effect is `at_most_once` is never retried. */
export interface RetryPolicy {
  /** Maximum number of attempts, including the first. 1 means no retry. */
  readonly maxAttempts: number;
  /** Maximum number of attempts, including the first, for a call that gets no response in any attempt. */
  readonly maxAttemptsUnanswered: number;
  readonly backoff: 'exponential' | 'constant';
  readonly initialMs: number;
  readonly maxMs: number;
  readonly retryOn: readonly RetryableError[];
}

import type { SchemaValidator } from '../json-schema/schema-validator.js';
import type { Condition, Expression, Template } from '../expressions/expression.js';

export const STEP_KINDS = [
  'tool',
  'retrieve',
  'let',
  'switch',
  'for_each',
  'parallel',
  'approval',
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
  /** Unique in the whole definition; `steps.<id>.output` is what the step produced. */
  readonly id: string;
  /** JSON Pointer of the step in the definition. */
  readonly pointer: string;
  /** False skips the step. */
  readonly if: Condition | null;
  /** Time limit of a call, an approval, a `wait` or a whole block. Other kinds take no time. */
  readonly timeoutMs: number | null;
  /** The policy of the step or of its enclosing block; null: the definition's `retry`. */
  readonly retry: RetryPolicy | null;
  /** True: a failure is recorded and the plan continues. */
  readonly continueOnError: boolean;
}

/** Output: the answer of the tool. */
export interface ToolStep extends StepBase {
  readonly kind: 'tool';
  /** Full name of the operation. */
  readonly operation: string;
  /** Evaluates to the request object. */
  readonly with: Template;
}

/** Output: `{passages: [...]}`. */
export interface RetrieveStep extends StepBase {
  readonly kind: 'retrieve';
  readonly base: string;
  readonly query: Template;
  readonly topK: number;
}

/** Output: the object of values. A value does not see the others of its own step. */
export interface LetStep extends StepBase {
  readonly kind: 'let';
  readonly values: Template;
}

/** The first branch whose condition holds runs, or none. Output: the output of the branch's last step, or null. */
export interface SwitchStep extends StepBase {
  readonly kind: 'switch';
  readonly branches: readonly SwitchBranch[];
}

export interface SwitchBranch {
  /** Null always holds: only the last branch can have it. */
  readonly when: Condition | null;
  readonly steps: readonly CompiledStep[];
}

/** Output: the list of the outputs of each round's last step, in the order of the items. */
export interface ForEachStep extends StepBase {
  readonly kind: 'for_each';
  /** Evaluates to a list. */
  readonly items: Template;
  /** The name under which the inner steps see the item. */
  readonly as: string;
  readonly maxParallel: number;
  readonly steps: readonly CompiledStep[];
}

/** Output: the list of the outputs of each branch's last step. */
export interface ParallelStep extends StepBase {
  readonly kind: 'parallel';
  readonly branches: readonly (readonly CompiledStep[])[];
}

/** Output: `{decision, decided_by, comment}`. */
export interface ApprovalStep extends StepBase {
  readonly kind: 'approval';
  /** Name of the approval rule. */
  readonly approval: string;
  /** Replaces the `show` of the rule if it is not empty. */
  readonly show: readonly Expression[];
}

/** Exactly one of the two is set. Output: null. */
export interface WaitStep extends StepBase {
  readonly kind: 'wait';
  /** Evaluates to a duration such as `5m`. */
  readonly for: Template | null;
  /** Evaluates to an RFC 3339 time. */
  readonly until: Template | null;
}

/** A model with some of the tools, inside the plan. Output: its answer. */
export interface AgentStep extends StepBase {
  readonly kind: 'agent';
  readonly instructions: Template;
  readonly with: Template | null;
  /** Full names of the operations it may call; null: all. */
  readonly operations: readonly string[] | null;
  readonly output: SchemaValidator | null;
  readonly maxSteps: number | null;
}

/** False fails the run with `assertion_failed`. Output: true. */
export interface AssertStep extends StepBase {
  readonly kind: 'assert';
  readonly condition: Condition;
  readonly message: Template | null;
}

/** Ends the run as handed_off. */
export interface HandOffStep extends StepBase {
  readonly kind: 'hand_off';
  readonly to: readonly string[];
  readonly reason: Template | null;
}

/** Ends the run as failed. */
export interface FailStep extends StepBase {
  readonly kind: 'fail';
  readonly message: Template;
}

/** Sets the run's output; the last one that ran wins. The plan continues. */
export interface OutputStep extends StepBase {
  readonly kind: 'output';
  readonly value: Template;
}

export type CompiledStep =
  | ToolStep
  | RetrieveStep
  | LetStep
  | SwitchStep
  | ForEachStep
  | ParallelStep
  | ApprovalStep
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

/** Never applied to a call whose effect is at_most_once. */
export interface RetryPolicy {
  /** The first attempt included: 1 means no retry. */
  readonly maxAttempts: number;
  /** The number of attempts for calls without a response. */
  readonly maxAttemptsUnanswered: number;
  readonly backoff: 'exponential' | 'constant';
  readonly initialMs: number;
  readonly maxMs: number;
  readonly retryOn: readonly RetryableError[];
}

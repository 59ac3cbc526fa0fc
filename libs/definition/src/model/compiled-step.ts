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

/** Either `for` or `until` is set. The output is null. */
export interface WaitStep extends StepBase {
  readonly kind: 'wait';
  /** Evaluates to a duration such as `5m`. */
  readonly for: Template | null;
  /** Evaluates to an RFC 3339 time. */
  readonly until: Template | null;
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

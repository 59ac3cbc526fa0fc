import type { JsonObject, JsonValue } from '@app/kernel';
import type { SchemaValidator } from '../json-schema/schema-validator.js';
import type { Condition, Expression } from '../expressions/expression.js';

export interface CompiledEvaluation {
  /** How often each case runs. */
  readonly trials: number;
  /** Reads without a mock: `live` calls the tool, `mock` fails the call. */
  readonly reads: EvaluationReads;
  readonly cases: readonly EvaluationCase[];
  readonly fromRuns: RecordedRuns | null;
  readonly gate: PromotionGate | null;
}

export const EVALUATION_READS = ['live', 'mock'] as const;
export type EvaluationReads = (typeof EVALUATION_READS)[number];

export interface EvaluationCase {
  readonly name: string;
  readonly tags: readonly string[];
  readonly input: JsonObject;
  /** The mocked responses of operations in this case, by full name. */
  readonly mock: ReadonlyMap<string, JsonValue>;
  /** The mocked answers of operations in this case, call by call. The last answer repeats. */
  readonly mockEach: ReadonlyMap<string, readonly MockedAnswer[]>;
  /** The values by key with which the state begins. */
  readonly state: JsonObject;
  /** The answers to questions and the bodies of callbacks, by the id of the step. */
  readonly answers?: ReadonlyMap<string, JsonObject>;
  readonly assertions: readonly Assertion[];
}

/** The codes of errors with which a case can mock a call. */
export const MOCKED_ERRORS = [
  'tool_error',
  'tool_denied',
  'timeout',
  'secret_missing',
  'budget_exceeded',
  'knowledge_forbidden',
  'knowledge_unavailable',
  'state_conflict',
  'connection_forbidden',
  'connection_unavailable',
] as const;
export type MockedErrorCode = (typeof MOCKED_ERRORS)[number];

/** The answer to one call: the output, or the error with the status and the body that the tool answered. */
export type MockedAnswer =
  | { readonly output: JsonValue }
  | {
      readonly error: {
        readonly code: MockedErrorCode;
        readonly status?: number | undefined;
        readonly body?: JsonValue | undefined;
      };
    };

/** Recorded runs that are replayed with recorded reads and simulated writes. */
export interface RecordedRuns {
  readonly status: string;
  readonly sample: number;
  readonly maxAgeMs: number;
}

export interface PromotionGate {
  /** If null, every case must pass, and no statistical bound is computed. */
  readonly minPassRate: number | null;
  /** Confidence of the one-sided Wilson lower bound that must reach `minPassRate`. */
  readonly confidence: number;
  readonly mustPassTags: readonly string[];
  readonly maxRegressions: number | null;
  /** The allowed increase of the cost over the production version, as a share: 0.25 is 25 % more. */
  readonly maxCostIncrease: number | null;
  /** The allowed increase of the active time over the production version, as a share. */
  readonly maxLatencyIncrease: number | null;
  /** Evaluations older than this do not count. */
  readonly maxAgeMs: number | null;
}

export const ASSERTION_KINDS = [
  'equals',
  'contains',
  'regex',
  'json_schema',
  'cel',
  'status',
  'tool_called',
  'not_tool_called',
  'tool_order',
  'approval_requested',
  'denied',
  'cites',
  'cost',
  'latency',
  'steps',
  'similar',
  'llm_rubric',
] as const;
export type AssertionKind = (typeof ASSERTION_KINDS)[number];

/**
 * `path` selects the value to check. If it is null, the whole output is checked. In scope of every expression:
 * `output`, `run`, `input`.
 */
export type Assertion =
  | { readonly kind: 'equals'; readonly path: Expression | null; readonly value: JsonValue }
  | { readonly kind: 'contains'; readonly path: Expression | null; readonly value: JsonValue }
  | {
      readonly kind: 'regex';
      readonly path: Expression | null;
      matches(text: string): boolean;
      readonly pattern: string;
    }
  | { readonly kind: 'json_schema'; readonly path: Expression | null; readonly schema: SchemaValidator }
  | { readonly kind: 'cel'; readonly condition: Condition }
  | { readonly kind: 'status'; readonly status: string }
  | {
      readonly kind: 'tool_called';
      readonly operation: string;
      /** Condition on a call. In addition to the other variables, it can use `request`: the arguments of the call. */
      readonly with: Condition | null;
      /** Exact number of calls. If null, at least one call is required. */
      readonly times: number | null;
    }
  | { readonly kind: 'not_tool_called'; readonly operation: string }
  | { readonly kind: 'tool_order'; readonly operations: readonly string[] }
  /** Name of the policy or approval rule. If null, any matches. */
  | { readonly kind: 'approval_requested'; readonly name: string | null }
  /** Name of the policy or operation. If null, any matches. */
  | { readonly kind: 'denied'; readonly name: string | null }
  /** Part of the title or URL of a cited document. If null, any citation matches. */
  | { readonly kind: 'cites'; readonly value: string | null }
  | { readonly kind: 'cost'; readonly maxMicros: bigint }
  | { readonly kind: 'latency'; readonly maxMs: number }
  | { readonly kind: 'steps'; readonly max: number }
  | { readonly kind: 'similar'; readonly path: Expression | null; readonly value: string; readonly min: number }
  | { readonly kind: 'llm_rubric'; readonly rubric: string; readonly min: number };

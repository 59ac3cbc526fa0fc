import type { JsonObject, JsonValue } from '@app/kernel';
import type { SchemaValidator } from '@app/json-schema';
import type { Condition, Expression } from '@app/cel';

/** A place at which a case of an evaluation names a fixture. */
export interface FixtureUse {
  readonly name: string;
  /** Members and positions from the root of the definition. */
  readonly path: readonly (string | number)[];
}

export interface CompiledEvaluation {
  /** Number of runs of each case. */
  readonly trials: number;
  /** What happens if a case has no mock for a read operation. `live`: the tool is called. `mock`: the call fails. */
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
  /** Simulated responses, by full name of the operation. In this case, every call of an operation gets its response. */
  readonly mock: ReadonlyMap<string, JsonValue>;
  /**
   * Simulated answers, by full name of the operation. In this case, the first call of an operation gets the first
   * answer, the second call the second answer, and so on. Calls beyond the list get the last answer.
   */
  readonly mockEach: ReadonlyMap<string, readonly MockedAnswer[]>;
  readonly state: JsonObject;
  readonly answers?: ReadonlyMap<string, JsonObject>;
  /** Places below the root of `input` and of each answer, and in `mock` and `mockEach`. */
  readonly fixtures: readonly FixtureUse[];
  readonly assertions: readonly Assertion[];
}

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

export type MockedAnswer =
  | { readonly output: JsonValue }
  | {
      readonly error: {
        readonly code: MockedErrorCode;
        readonly status?: number | undefined;
        readonly body?: JsonValue | undefined;
      };
    };

/** Recorded runs to replay. In a replay, read operations return the recorded responses, and writes are simulated. */
export interface RecordedRuns {
  readonly status: string;
  readonly sample: number;
  readonly maxAgeMs: number;
}

export interface PromotionGate {
  /** Pass rate that the lower bound of the measured pass rate must reach. If null, every trial must pass instead. */
  readonly minPassRate: number | null;
  /** Confidence level of the lower bound (one-sided, by Wilson) that is compared with `minPassRate`. */
  readonly confidence: number;
  readonly mustPassTags: readonly string[];
  readonly maxRegressions: number | null;
  /** Maximum increase of the mean cost of a trial over the production version, as a share: 0.25 means 25 %. */
  readonly maxCostIncrease: number | null;
  /** Maximum increase of the mean active time of a trial over the production version, as a share. */
  readonly maxLatencyIncrease: number | null;
  /** An evaluation older than this many milliseconds does not allow a promotion. If null, the age is not limited. */
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
  'file_shown',
  'cost',
  'latency',
  'steps',
  'similar',
  'llm_rubric',
] as const;
export type AssertionKind = (typeof ASSERTION_KINDS)[number];

/**
 * An assertion about a run. `path` selects the part of the output to check. If `path` is null, the whole output is
 * checked. Expressions can read `output`, `input`, `trigger`, `run`, `agent` and `steps`.
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
      /** Condition on the call. In addition to the names above, it can read `request`, the arguments of the call. */
      readonly with: Condition | null;
      /** Exact number of calls. If null, at least one call is required. */
      readonly times: number | null;
    }
  | { readonly kind: 'not_tool_called'; readonly operation: string }
  | { readonly kind: 'tool_order'; readonly operations: readonly string[] }
  /** Name of the policy or the approval rule that requested the approval. If null, any requested approval matches. */
  | { readonly kind: 'approval_requested'; readonly name: string | null }
  /** Name of the policy that denied the call, or of the denied operation. If null, any denied call matches. */
  | { readonly kind: 'denied'; readonly name: string | null }
  /** Part of the title or URL of a cited document. If null, any citation matches. */
  | { readonly kind: 'cites'; readonly value: string | null }
  /** Member of the input whose files the model must see. */
  | { readonly kind: 'file_shown'; readonly member: string }
  | { readonly kind: 'cost'; readonly maxMicros: bigint }
  | { readonly kind: 'latency'; readonly maxMs: number }
  | { readonly kind: 'steps'; readonly max: number }
  | { readonly kind: 'similar'; readonly path: Expression | null; readonly value: string; readonly min: number }
  | { readonly kind: 'llm_rubric'; readonly rubric: string; readonly min: number };

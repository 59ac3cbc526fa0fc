import type { EffortLevel } from '@app/kernel';
import type { Condition, Expression, Template } from '@app/cel';
import type { CompiledEvaluation } from './compiled-evaluation.js';
import type { CompiledStep, RetryPolicy } from './compiled-step.js';
import type { FileMembers } from './file-members.js';
import type { McpExposure } from './mcp-exposure.js';
import type { SchemaValidator } from '@app/json-schema';
import type { CompiledTool, ToolOperation } from './compiled-tool.js';
import type { WebhookAuth, WebhookResponse } from './webhook-trigger.js';

/**
 * The input of the interpreter: a definition with compiled expressions and schemas, durations in milliseconds, and all
 * defaults. It is immutable. `compileDefinition` creates it from the stored definition. It is never stored itself.
 */
export interface CompiledDefinition {
  /** SHA-256 of the stored definition. Absent if the definition is not stored. */
  readonly hash?: string;
  readonly name: string;
  readonly description: string | null;
  readonly labels: Readonly<Record<string, string>>;
  /**
   * model: a model decides which tools to call. steps: a fixed plan without any model. mixed: a plan with `agent`
   * steps.
   */
  readonly kind: 'model' | 'steps' | 'mixed';
  /** JSON Schema (2020-12). If null, the input may be any object. */
  readonly input: SchemaValidator | null;
  readonly output: SchemaValidator | null;
  readonly files: FileMembers;
  readonly model: ModelSettings | null;
  readonly instructions: Template | null;
  readonly knowledge: readonly KnowledgeUse[];
  readonly tools: ReadonlyMap<string, CompiledTool>;
  /** All operations by full name (`orders.get`), in the order of the definition. */
  readonly operations: ReadonlyMap<string, ToolOperation>;
  readonly policies: readonly CompiledPolicy[];
  readonly policyDefaults: PolicyDefaults;
  readonly approvals: ReadonlyMap<string, ApprovalRule>;
  readonly triggers: readonly CompiledTrigger[];
  readonly limits: RunLimits;
  readonly concurrency: ConcurrencyRule | null;
  readonly retry: RetryPolicy;
  /** Retry policy of model turns. It comes from the same `retry` as the policy of calls, but has different defaults. */
  readonly turnRetry: RetryPolicy;
  readonly handOff: { readonly to: readonly string[] } | null;
  readonly redactPaths: readonly (readonly string[])[];
  /** Names of all secrets that the definition mentions. */
  readonly secrets: readonly string[];
  readonly steps: readonly CompiledStep[];
  readonly onFailure: readonly CompiledStep[];
  readonly evaluation: CompiledEvaluation | null;
  /** Null: assistants cannot use the agent. */
  readonly mcp: McpExposure | null;
}

export interface ModelChoice {
  readonly provider: string;
  readonly name: string;
}

export interface ModelSettings extends ModelChoice {
  readonly fallback: readonly ModelChoice[];
  /** Reasons for a fallback besides failures. Absent: none. */
  readonly fallbackOn?: readonly 'refused'[];
  /** Absent: `auto`. */
  readonly files?: ModelFiles;
  readonly params: ModelParams;
}

export const MODEL_FILES = ['auto', 'text', 'off'] as const;
/** How a model sees the files in its input: as images and documents if it reads them, as text only, or not at all. */
export type ModelFiles = (typeof MODEL_FILES)[number];

export interface ModelParams {
  readonly temperature?: number;
  readonly topP?: number;
  readonly maxOutputTokens?: number;
  readonly seed?: number;
  readonly stop?: readonly string[];
  readonly effort?: EffortLevel;
  /** Absent: `auto`. */
  readonly cache?: CacheMode;
}

export const CACHE_MODES = ['off', 'auto', '5m', '1h'] as const;
/** Use of the prompt cache of a provider. The times are those for which the provider keeps the prompt. */
export type CacheMode = (typeof CACHE_MODES)[number];

/** The members of {@link ModelParams} by their names in the definition format. */
export const MODEL_PARAM_MEMBERS = {
  temperature: 'temperature',
  top_p: 'topP',
  seed: 'seed',
  stop: 'stop',
  max_output_tokens: 'maxOutputTokens',
  effort: 'effort',
  cache: 'cache',
} as const satisfies Record<string, keyof ModelParams>;

export interface KnowledgeUse {
  /** Id or unique name of the knowledge base. */
  readonly base: string;
  readonly mode: 'tool' | 'always';
  readonly topK: number;
  readonly citations: 'required' | 'optional' | 'off';
}

export const POLICY_ACTIONS = ['deny', 'require_approval', 'allow'] as const;
/**
 * The action that a policy takes on a call. If several policies match a call, the strictest action applies: `deny`,
 * then `require_approval`, then `allow`.
 */
export type PolicyAction = (typeof POLICY_ACTIONS)[number];

export interface CompiledPolicy {
  readonly name: string;
  /**
   * The condition on a call. It can read `input`, `trigger`, `run`, `agent`, `steps`, `request` and `tool`
   * ({name, scope, effect, host}).
   */
  readonly when: Condition;
  readonly action: PolicyAction;
  /** Name of the approval rule. Set if, and only if, the action is `require_approval`. */
  readonly approval: string | null;
  readonly message: string | null;
}

export interface PolicyDefaults {
  readonly read: PolicyAction;
  readonly write: PolicyAction;
  /** The action for a call if the condition of a policy cannot be evaluated. It is never `allow`. */
  readonly onError: 'deny' | 'require_approval';
  /**
   * The approval rule that applies if `read`, `write` or `onError` is `require_approval`. If null, the admins of the
   * workspace decide.
   */
  readonly approval: string | null;
}

export interface ApprovalRule {
  readonly name: string;
  /** Group names. If the list is empty, the admins of the workspace approve. */
  readonly approvers: readonly string[];
  readonly required: number;
  readonly selfApproval: boolean;
  readonly timeoutMs: number;
  readonly onTimeout: 'reject' | 'fail' | 'hand_off';
  /**
   * What happens after a rejection. If null, the rejected step fails in a definition with a plan. In a definition
   * without a plan, the model receives the rejection and continues.
   */
  readonly onReject: 'continue' | 'fail' | 'hand_off' | null;
  /** The expressions whose values the approver sees. They can read the same names as the condition of a policy. */
  readonly show: readonly Expression[];
}

export const TRIGGER_TYPES = ['email.received', 'webhook', 'schedule', 'poll'] as const;
export type TriggerType = (typeof TRIGGER_TYPES)[number];

interface TriggerBase {
  readonly id: string;
}

export interface EmailTrigger extends TriggerBase {
  readonly kind: 'email.received';
  readonly mailbox: string;
  /** The condition on an e-mail. It can read `email` and `trigger`. If null, every e-mail starts a run. */
  readonly filter: Condition | null;
  /** Computes the input of the run. If null, the input is the e-mail itself. */
  readonly map: Template | null;
  /** The mailbox to watch. If null, the mail arrives at the SMTP listener of the service. */
  readonly imap: ImapAccount | null;
}

export interface ImapAccount {
  readonly host: string;
  readonly port: number;
  /** tls: the connection begins with TLS. starttls: TLS is required before credentials are sent. */
  readonly security: 'tls' | 'starttls';
  readonly user: string;
  /** The password. Its template can read only `secrets`. */
  readonly password: Template;
  readonly secretNames: readonly string[];
  readonly folder: string;
}

export interface WebhookTrigger extends TriggerBase {
  readonly kind: 'webhook';
  /** How a sender authenticates with a secret of its own. If null, only the secret of the agent is valid. */
  readonly auth: WebhookAuth | null;
  /** The condition on a call. It can read `body` and `trigger`. If null, every call starts a run. */
  readonly filter: Condition | null;
  /** Computes the input of the run. If null, the input is the body of the call. */
  readonly map: Template | null;
  /** The response to the caller. If null, the caller receives the id of the run at once. */
  readonly respond: WebhookResponse | null;
}

export interface ScheduleTrigger extends TriggerBase {
  readonly kind: 'schedule';
  /** Cron expression with five fields. */
  readonly cron: string;
  /** IANA name of the time zone. */
  readonly timezone: string;
  readonly overlap: 'skip' | 'queue' | 'allow';
  readonly catchUp: 'none' | 'last';
  /** Computes the input of the run. It can read `trigger`. */
  readonly input: Template;
}

/**
 * Calls a read operation at intervals (polls). Starts a run for each returned item that no earlier poll has returned.
 */
export interface PollTrigger extends TriggerBase {
  readonly kind: 'poll';
  readonly operation: string;
  /** Computes the request of the operation. It can read `poll` and `trigger`. */
  readonly with: Template;
  readonly everyMs: number;
  /** Evaluates to the list of items. It can read `output`, the response of the operation. */
  readonly items: Expression;
  /** Evaluates to a value that identifies an item. It can read `item`. */
  readonly key: Expression;
  /** The condition on an item. It can read `item`, `output` and `trigger`. If null, every new item starts a run. */
  readonly filter: Condition | null;
  /** Computes the input of the run. If null, the input is the item itself. */
  readonly map: Template | null;
  /** Maximum number of items of the first poll for which runs are started. */
  readonly backfill: number;
}

export type CompiledTrigger = EmailTrigger | WebhookTrigger | ScheduleTrigger | PollTrigger;

export type TriggersByType = { readonly [Type in TriggerType]: Extract<CompiledTrigger, { readonly kind: Type }> };

export interface RunLimits {
  readonly maxSteps: number;
  /**
   * Maximum active time of the run. The time that the run spends in `wait` steps or waiting for people does not count.
   */
  readonly maxDurationMs: number;
  readonly maxWaitMs: number;
  /** If null, a queued run never expires. */
  readonly queueTtlMs: number | null;
  readonly budget: RunBudget | null;
}

export interface RunBudget {
  readonly perRunMicros: bigint | null;
  readonly perDayMicros: bigint | null;
  /** ISO 4217 code of the currency. */
  readonly currency: string;
  readonly onExceeded: 'fail' | 'hand_off';
}

export interface ConcurrencyRule {
  readonly max: number | null;
  readonly key: Template | null;
  readonly maxPerKey: number | null;
  readonly onConflict: 'queue' | 'reject';
}

export function connectionsOf({ tools }: CompiledDefinition): string[] {
  return [...new Set([...tools.values()].flatMap(({ auth }) => (auth?.kind === 'oauth2' ? [auth.connection] : [])))];
}

import type { Condition, Expression, Template } from '../expressions/expression.js';
import type { CompiledEvaluation } from './compiled-evaluation.js';
import type { CompiledStep, RetryPolicy } from './compiled-step.js';
import type { SchemaValidator } from '../json-schema/schema-validator.js';
import type { CompiledTool, ToolOperation } from './compiled-tool.js';
import type { WebhookAuth, WebhookResponse } from './webhook-trigger.js';

/**
 * The input of the interpreter: a definition with durations in milliseconds, compiled expressions and schemas, and all
 * defaults. Immutable. It is created by `compileDefinition` and never stored; only the definition itself is stored.
 */
export interface CompiledDefinition {
  readonly name: string;
  readonly description: string | null;
  readonly labels: Readonly<Record<string, string>>;
  /** model: the model drives a tool loop. steps: a fixed plan without any model. mixed: a plan with `agent` steps. */
  readonly kind: 'model' | 'steps' | 'mixed';
  /** The JSON Schemas (2020-12) of the definition. Null if the definition has none: then any object is accepted. */
  readonly input: SchemaValidator | null;
  readonly output: SchemaValidator | null;
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
  /** Retry policy of model turns. It is read from `retry`, but has different defaults. */
  readonly turnRetry: RetryPolicy;
  readonly handOff: { readonly to: readonly string[] } | null;
  readonly redactPaths: readonly (readonly string[])[];
  /** Names of all secrets that the calls of the agent need. */
  readonly secrets: readonly string[];
  readonly steps: readonly CompiledStep[];
  readonly onFailure: readonly CompiledStep[];
  readonly evaluation: CompiledEvaluation | null;
}

export interface ModelChoice {
  readonly provider: string;
  readonly name: string;
}

export interface ModelSettings extends ModelChoice {
  readonly fallback: readonly ModelChoice[];
  readonly params: ModelParams;
}

export interface ModelParams {
  readonly temperature?: number;
  readonly topP?: number;
  readonly maxOutputTokens?: number;
  readonly seed?: number;
  readonly stop?: readonly string[];
}

export interface KnowledgeUse {
  /** Id or unique name of the knowledge base. */
  readonly base: string;
  readonly mode: 'tool' | 'always';
  readonly topK: number;
  readonly citations: 'required' | 'optional' | 'off';
}

export const POLICY_ACTIONS = ['deny', 'require_approval', 'allow'] as const;
/** The strictest action first. If several policies match a call, the strictest action wins. */
export type PolicyAction = (typeof POLICY_ACTIONS)[number];

export interface CompiledPolicy {
  readonly name: string;
  /** In scope: `tool` ({name, scope, effect}), `request` and the names that every expression can use. */
  readonly when: Condition;
  readonly action: PolicyAction;
  /** Name of the approval rule; set when, and only when, the action is require_approval. */
  readonly approval: string | null;
  readonly message: string | null;
}

export interface PolicyDefaults {
  readonly read: PolicyAction;
  readonly write: PolicyAction;
  /** The action if a policy cannot be evaluated. Never `allow`. */
  readonly onError: 'deny' | 'require_approval';
  /** The approval rule for a default of `require_approval`. Null: the admins of the workspace decide. */
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
  /** If null, a plan fails, and a model receives the rejection. */
  readonly onReject: 'continue' | 'fail' | 'hand_off' | null;
  /**
   * The values that the approver sees, with their source text. In scope: `request`, `tool` and the names that every
   * expression can use.
   */
  readonly show: readonly Expression[];
}

/** The allowed values of `type` of a trigger. */
export const TRIGGER_TYPES = ['email.received', 'webhook', 'schedule', 'poll'] as const;
export type TriggerType = (typeof TRIGGER_TYPES)[number];

interface TriggerBase {
  readonly id: string;
}

export interface EmailTrigger extends TriggerBase {
  readonly kind: 'email.received';
  readonly mailbox: string;
  /** In scope: `email` and `trigger`. If null, every e-mail starts a run. */
  readonly filter: Condition | null;
  /** Computes the input of the run. If null, the input is the e-mail itself. */
  readonly map: Template | null;
  /** The watched mailbox. If null, mail is sent to the SMTP listener of the service. */
  readonly imap: ImapAccount | null;
}

/** A folder on an IMAP server. */
export interface ImapAccount {
  readonly host: string;
  readonly port: number;
  /** tls: the connection begins with TLS. starttls: TLS is required before credentials are sent. */
  readonly security: 'tls' | 'starttls';
  readonly user: string;
  /** In scope: `secrets`. */
  readonly password: Template;
  readonly secretNames: readonly string[];
  readonly folder: string;
}

export interface WebhookTrigger extends TriggerBase {
  readonly kind: 'webhook';
  /** How a sender with a secret of its own calls the trigger. If null, only the secret of the agent is valid. */
  readonly auth: WebhookAuth | null;
  /** In scope: `body` and `trigger`. */
  readonly filter: Condition | null;
  /** Computes the input of the run. If null, the input is the body itself. */
  readonly map: Template | null;
  /** If null, the caller gets the id of the run at once. */
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
  /** The input of the run. In scope: `trigger`. */
  readonly input: Template;
}

/** Calls a read operation at intervals. Starts a run for each item that was not listed before. */
export interface PollTrigger extends TriggerBase {
  readonly kind: 'poll';
  /** Full name of the operation. */
  readonly operation: string;
  /** The request. In scope: `poll` and `trigger`. */
  readonly with: Template;
  readonly everyMs: number;
  /** The list of items. In scope: `output`. */
  readonly items: Expression;
  /** Identifies an item. In scope: `item`. */
  readonly key: Expression;
  /** In scope: `item`, `output` and `trigger`. If null, every item starts a run. */
  readonly filter: Condition | null;
  /** Computes the input of the run. If null, the input is the item itself. */
  readonly map: Template | null;
  /** Number of items of the first poll that start runs. */
  readonly backfill: number;
}

export type CompiledTrigger = EmailTrigger | WebhookTrigger | ScheduleTrigger | PollTrigger;

/** The compiled trigger of each type. */
export type TriggersByType = { readonly [Type in TriggerType]: Extract<CompiledTrigger, { readonly kind: Type }> };

export interface RunLimits {
  readonly maxSteps: number;
  /** Limits the active time. Waiting for people or in a `wait` step does not count. */
  readonly maxDurationMs: number;
  readonly maxWaitMs: number;
  /** If null, a queued run never expires. */
  readonly queueTtlMs: number | null;
  readonly budget: RunBudget | null;
}

export interface RunBudget {
  readonly perRunMicros: bigint | null;
  readonly perDayMicros: bigint | null;
  /** ISO 4217 code. */
  readonly currency: string;
  readonly onExceeded: 'fail' | 'hand_off';
}

export interface ConcurrencyRule {
  readonly max: number | null;
  readonly key: Template | null;
  readonly maxPerKey: number | null;
  readonly onConflict: 'queue' | 'reject';
}

/** Names or ids of the connections that the calls of the agent use. */
export function connectionsOf({ tools }: CompiledDefinition): string[] {
  return [...new Set([...tools.values()].flatMap(({ auth }) => (auth?.kind === 'oauth2' ? [auth.connection] : [])))];
}

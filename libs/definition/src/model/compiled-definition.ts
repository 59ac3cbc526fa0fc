import type { Condition, Expression, Template } from '../expressions/expression.js';
import type { CompiledEvaluation } from './compiled-evaluation.js';
import type { CompiledStep, RetryPolicy } from './compiled-step.js';
import type { SchemaValidator } from '../json-schema/schema-validator.js';
import type { CompiledTool, ToolOperation } from './compiled-tool.js';

/**
 * The input of the interpreter: a definition with durations in milliseconds, compiled expressions and schemas, and all
 * defaults. Immutable. Made by `compileDefinition`, never stored: the definition itself is.
 */
export interface CompiledDefinition {
  readonly name: string;
  readonly description: string | null;
  readonly labels: Readonly<Record<string, string>>;
  /** model: the model drives a tool loop. steps: a fixed plan without any model. mixed: a plan with `agent` steps. */
  readonly kind: 'model' | 'steps' | 'mixed';
  /** The definition's JSON Schemas (2020-12), null where it gives none: then any object is accepted. */
  readonly input: SchemaValidator | null;
  readonly output: SchemaValidator | null;
  readonly model: ModelSettings | null;
  readonly instructions: Template | null;
  readonly knowledge: readonly KnowledgeUse[];
  readonly tools: ReadonlyMap<string, CompiledTool>;
  /** Every operation by its full name, `orders.get`, in the order of the definition. */
  readonly operations: ReadonlyMap<string, ToolOperation>;
  readonly policies: readonly CompiledPolicy[];
  readonly policyDefaults: PolicyDefaults;
  readonly approvals: ReadonlyMap<string, ApprovalRule>;
  readonly triggers: readonly CompiledTrigger[];
  readonly limits: RunLimits;
  readonly concurrency: ConcurrencyRule | null;
  readonly retry: RetryPolicy;
  /** Retry policy of model turns: `retry` with defaults of its own. */
  readonly turnRetry: RetryPolicy;
  readonly handOff: { readonly to: readonly string[] } | null;
  readonly redactPaths: readonly (readonly string[])[];
  /** Names of all secrets that its calls need. */
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
  /** Id or unique name. */
  readonly base: string;
  readonly mode: 'tool' | 'always';
  readonly topK: number;
  readonly citations: 'required' | 'optional' | 'off';
}

export const POLICY_ACTIONS = ['deny', 'require_approval', 'allow'] as const;
/** Strongest first: when several policies match a call, the strongest action wins. */
export type PolicyAction = (typeof POLICY_ACTIONS)[number];

export interface CompiledPolicy {
  readonly name: string;
  /** In scope: `tool` ({name, scope, effect}), `request` and the names every expression sees. */
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
  /** The approval rule that applies when a default asks for one; null asks the workspace's admins. */
  readonly approval: string | null;
}

export interface ApprovalRule {
  readonly name: string;
  /** Group names; empty means the workspace's admins. */
  readonly approvers: readonly string[];
  readonly required: number;
  readonly selfApproval: boolean;
  readonly timeoutMs: number;
  readonly onTimeout: 'reject' | 'fail' | 'hand_off';
  /** Null: a plan fails, and a model receives the rejection. */
  readonly onReject: 'continue' | 'fail' | 'hand_off' | null;
  /**
   * The values that the approver sees, by their source text. In scope: `request`, `tool` and the names every expression
   * sees.
   */
  readonly show: readonly Expression[];
}

/** The values of `type` of a trigger. */
export const TRIGGER_TYPES = ['email.received', 'webhook', 'schedule'] as const;
export type TriggerType = (typeof TRIGGER_TYPES)[number];

interface TriggerBase {
  readonly id: string;
}

export interface EmailTrigger extends TriggerBase {
  readonly kind: 'email.received';
  readonly mailbox: string;
  /** In scope: `email` and `trigger`. Null: every e-mail starts a run. */
  readonly filter: Condition | null;
  /** Makes the run's input; null hands over the e-mail itself. */
  readonly map: Template | null;
  /** The watched mailbox; null: mail is sent to the SMTP listener of the service. */
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
  /** In scope: `body` and `trigger`. */
  readonly filter: Condition | null;
  /** Makes the run's input; null hands over the body itself. */
  readonly map: Template | null;
}

export interface ScheduleTrigger extends TriggerBase {
  readonly kind: 'schedule';
  /** Five fields. */
  readonly cron: string;
  /** IANA name. */
  readonly timezone: string;
  readonly overlap: 'skip' | 'queue' | 'allow';
  readonly catchUp: 'none' | 'last';
  /** The run's input. In scope: `trigger`. */
  readonly input: Template;
}

export type CompiledTrigger = EmailTrigger | WebhookTrigger | ScheduleTrigger;

/** The compiled trigger of each type. */
export type TriggersByType = { readonly [Type in TriggerType]: Extract<CompiledTrigger, { readonly kind: Type }> };

export interface RunLimits {
  readonly maxSteps: number;
  /** Active time: waiting for people or a `wait` step does not count. */
  readonly maxDurationMs: number;
  readonly maxWaitMs: number;
  /** Null: a queued run never expires. */
  readonly queueTtlMs: number | null;
  readonly budget: RunBudget | null;
}

export interface RunBudget {
  readonly perRunMicros: bigint | null;
  readonly perDayMicros: bigint | null;
  /** ISO 4217. */
  readonly currency: string;
  readonly onExceeded: 'fail' | 'hand_off';
}

export interface ConcurrencyRule {
  readonly max: number | null;
  readonly key: Template | null;
  readonly maxPerKey: number | null;
  readonly onConflict: 'queue' | 'reject';
}

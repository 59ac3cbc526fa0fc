/** An approval leaves the status `open` once, and then never changes again. */
export const APPROVAL_STATUSES = ['open', 'approved', 'rejected', 'answered', 'expired', 'cancelled'] as const;
export type ApprovalStatus = (typeof APPROVAL_STATUSES)[number];

/**
 * What an approval is about.
 * - `tool_call`: a call for which a policy requires approval.
 * - `step`: an approval step of the definition.
 * - `in_doubt`: a call whose outcome is unknown and that must not be repeated.
 * - `question`: a question of the definition, which a person answers with data.
 */
export const APPROVAL_KINDS = ['tool_call', 'step', 'in_doubt', 'question'] as const;
export type ApprovalKind = (typeof APPROVAL_KINDS)[number];

/**
 * Decisions that a person can make.
 * - `edit`: approve the call with other arguments.
 * - `mark_succeeded` and `mark_failed`: report the outcome of a call with an unknown outcome.
 * - `retry`: make a call with an unknown outcome again.
 * - `answer`: answer a question.
 */
export const APPROVAL_DECISIONS = [
  'approve',
  'edit',
  'reject',
  'answer',
  'mark_succeeded',
  'mark_failed',
  'retry',
] as const;
export type ApprovalDecision = (typeof APPROVAL_DECISIONS)[number];

export const DECISIONS_BY_KIND = {
  tool_call: ['approve', 'edit', 'reject'],
  step: ['approve', 'reject'],
  in_doubt: ['mark_succeeded', 'mark_failed', 'retry'],
  question: ['answer'],
} as const satisfies Record<ApprovalKind, readonly ApprovalDecision[]>;

export const DECISION_CHANNELS = ['api', 'console', 'cli', 'email', 'slack', 'mcp'] as const;
export type DecisionChannel = (typeof DECISION_CHANNELS)[number];

export interface Decider {
  email: string;
  groups: readonly string[];
  isAdmin: boolean;
  /** If true, the person uses a test key, and may decide about test runs only. */
  isTest?: boolean;
  /** Whether the person uses a key with `automation: true`, which may decide nothing. */
  isAutomation?: boolean;
}

/** See sql/may_decide.sql and {@link Decider.isTest}. */
export const DECISION_REFUSALS = [
  'approval_already_decided',
  'automation_key',
  'not_an_approver',
  'self_approval_forbidden',
  'invalid_request',
  'test_key_production_mode',
] as const;
export type DecisionRefusal = (typeof DECISION_REFUSALS)[number];

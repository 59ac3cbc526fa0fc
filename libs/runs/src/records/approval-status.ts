/** The life of an approval, spelled as on the wire: it leaves `open` once and never changes afterwards. */
export const APPROVAL_STATUSES = ['open', 'approved', 'rejected', 'expired', 'cancelled'] as const;
export type ApprovalStatus = (typeof APPROVAL_STATUSES)[number];

/**
 * What an approval is about. tool_call: a call that a policy holds back. step: a step of the plan that is an approval.
 * in_doubt: a call whose answer was lost and that must not be repeated.
 */
export const APPROVAL_KINDS = ['tool_call', 'step', 'in_doubt'] as const;
export type ApprovalKind = (typeof APPROVAL_KINDS)[number];

/**
 * What a person may say. edit: approve the call with other arguments. mark_succeeded, mark_failed: what became of a call
 * in doubt. retry: make it again.
 */
export const APPROVAL_DECISIONS = ['approve', 'edit', 'reject', 'mark_succeeded', 'mark_failed', 'retry'] as const;
export type ApprovalDecision = (typeof APPROVAL_DECISIONS)[number];

export const DECISIONS_BY_KIND = {
  tool_call: ['approve', 'edit', 'reject'],
  step: ['approve', 'reject'],
  in_doubt: ['mark_succeeded', 'mark_failed', 'retry'],
} as const satisfies Record<ApprovalKind, readonly ApprovalDecision[]>;

/** The person who decides: their address, the groups they are in, and whether they are an admin. */
export interface Decider {
  email: string;
  groups: readonly string[];
  isAdmin: boolean;
}

/** The error code of the refusal where a person may not decide. See sql/may_decide.sql. */
export type DecisionRefusal =
  'approval_already_decided' | 'not_an_approver' | 'self_approval_forbidden' | 'invalid_request';

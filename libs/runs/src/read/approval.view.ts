import { shownObject } from '../privacy/sealed-value.js';
import type { ApprovalEntity } from '../records/approval.entity.js';

export function presentApproval(approval: ApprovalEntity) {
  return {
    id: approval.id,
    tool: approval.tool,
    reason: approval.reason,
    approvers: approval.approvers,
    status: approval.status,
    run: approval.runId,
    agent: approval.agentId,
    version: approval.version,
    kind: approval.kind,
    policy: approval.policy,
    request: approval.request && shownObject(approval.request),
    request_revision: approval.requestRevision,
    show: shownObject(approval.show),
    allowed_decisions: approval.allowedDecisions,
    required: approval.required,
    decisions: approval.decisions,
    opened_at: approval.openedAt.toISOString(),
    expires_at: approval.expiresAt.toISOString(),
    decided_at: approval.decidedAt?.toISOString() ?? null,
  };
}

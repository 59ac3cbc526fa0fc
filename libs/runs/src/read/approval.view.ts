import type { JsonObject } from '@app/kernel';
import { consolePage, type ConsoleUrl } from './console-page.js';
import { shownObject } from '../privacy/sealed-value.js';
import type { ApprovalEntity } from '../records/approval.entity.js';
import type { DecisionRefusal } from '../records/approval-status.js';

type SameName =
  | 'id'
  | 'tool'
  | 'reason'
  | 'approvers'
  | 'status'
  | 'version'
  | 'kind'
  | 'policy'
  | 'request'
  | 'show'
  | 'required'
  | 'decisions';

/** An approval, as far as the view needs it. */
/** The code with which the caller's decision would be refused, or null. Absent where there is no caller. */
interface Decidable {
  refusal?: DecisionRefusal | null;
}

export type ShownApproval = Decidable &
  Pick<
    ApprovalEntity,
    | SameName
    | 'runId'
    | 'agentId'
    | 'agentName'
    | 'requestRevision'
    | 'allowedDecisions'
    | 'openedAt'
    | 'expiresAt'
    | 'decidedAt'
  >;

/** See sql/run_snapshot.sql. */
type ApprovalSnapshot = Pick<ApprovalEntity, SameName> & {
  run_id: string;
  agent_id: string;
  /** Absent in events that an earlier release recorded. */
  agent_name?: string;
  request_revision: number;
  allowed_decisions: ApprovalEntity['allowedDecisions'];
  opened_at: string;
  expires_at: string;
  decided_at: string | null;
};

/** The approval as it was when the event was recorded that keeps this snapshot. */
export function approvalOfSnapshot(snapshot: JsonObject): ShownApproval {
  const row = snapshot as JsonObject & ApprovalSnapshot;
  return {
    ...row,
    runId: row.run_id,
    agentId: row.agent_id,
    agentName: row.agent_name ?? row.agent_id,
    requestRevision: row.request_revision,
    allowedDecisions: row.allowed_decisions,
    openedAt: new Date(row.opened_at),
    expiresAt: new Date(row.expires_at),
    decidedAt: row.decided_at === null ? null : new Date(row.decided_at),
  };
}

/** @param consoleUrl address of the console; null if the operator has published none */
export function presentApproval(approval: ShownApproval, consoleUrl: ConsoleUrl) {
  const { refusal } = approval;
  return {
    id: approval.id,
    tool: approval.tool,
    reason: approval.reason,
    approvers: approval.approvers,
    status: approval.status,
    run: approval.runId,
    agent: approval.agentId,
    agent_name: approval.agentName,
    version: approval.version,
    kind: approval.kind,
    policy: approval.policy,
    request: approval.request && shownObject(approval.request),
    request_revision: approval.requestRevision,
    show: shownObject(approval.show),
    allowed_decisions: approval.allowedDecisions,
    required: approval.required,
    decisions: approval.decisions.map((each) => ({ ...each, via: each.via ?? 'api' })),
    opened_at: approval.openedAt.toISOString(),
    expires_at: approval.expiresAt.toISOString(),
    decided_at: approval.decidedAt?.toISOString() ?? null,
    ...(refusal !== undefined && { can_decide: refusal === null, cannot_decide_reason: refusal }),
    ...consolePage(consoleUrl, 'approvals', approval.id),
  };
}

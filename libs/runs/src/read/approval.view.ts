import type { JsonObject } from '@app/kernel';
import { consolePage, type ConsoleUrl } from './console-page.js';
import { shownObject } from '../privacy/sealed-value.js';
import type { ApprovalEntity, RecordedDecision } from '../records/approval.entity.js';
import type { DecisionRefusal } from '../records/approval-status.js';
import type { RunEntity } from '../records/run.entity.js';
import type { RunMode, TriggerType } from '../records/run-status.js';

type SameName =
  | 'id'
  | 'tool'
  | 'reason'
  | 'approvers'
  | 'status'
  | 'version'
  | 'mode'
  | 'initiator'
  | 'kind'
  | 'policy'
  | 'request'
  | 'show'
  | 'title'
  | 'form'
  | 'answer'
  | 'required'
  | 'decisions';

type QuestionField = 'title' | 'form' | 'answer';

/**
 * It is null if the caller may decide, and absent if the approval is shown without a caller, for example in an event.
 */
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
    | 'triggerType'
    | 'requestRevision'
    | 'allowedDecisions'
    | 'openedAt'
    | 'expiresAt'
    | 'decidedAt'
  >;

type ApprovalSnapshot = Pick<ApprovalEntity, Exclude<SameName, QuestionField | 'mode' | 'initiator'>> & {
  /** `mode`, `initiator` and `trigger_type` are absent in events that earlier releases have recorded. */
  mode?: RunMode;
  initiator?: string | null;
  trigger_type?: TriggerType;
  title?: string | null;
  form?: JsonObject | null;
  answer?: JsonObject | null;
  run_id: string;
  agent_id: string;
  agent_name?: string;
  request_revision: number;
  allowed_decisions: ApprovalEntity['allowedDecisions'];
  opened_at: string;
  expires_at: string;
  decided_at: string | null;
};

/** @param run of the approval; an event about an approval alone contains what is shown of it */
export function approvalOfSnapshot(
  snapshot: JsonObject,
  run?: Pick<RunEntity, 'mode' | 'initiator' | 'trigger'>,
): ShownApproval {
  const row = snapshot as JsonObject & ApprovalSnapshot;
  return {
    ...row,
    runId: row.run_id,
    agentId: row.agent_id,
    agentName: row.agent_name ?? row.agent_id,
    mode: row.mode ?? run?.mode ?? 'production',
    initiator: row.initiator ?? run?.initiator ?? null,
    triggerType: row.trigger_type ?? (run?.trigger.type as TriggerType | undefined) ?? 'api',
    requestRevision: row.request_revision,
    title: row.title ?? null,
    form: row.form ?? null,
    answer: row.answer ?? null,
    allowedDecisions: row.allowed_decisions,
    openedAt: new Date(row.opened_at),
    expiresAt: new Date(row.expires_at),
    decidedAt: row.decided_at === null ? null : new Date(row.decided_at),
  };
}

export function presentDecision(decision: RecordedDecision) {
  const { via = 'api', request_before: before } = decision;
  return { ...decision, via, request_before: before ? shownObject(before) : null };
}

/** @param consoleUrl public address of the console; null if the operator has not set it */
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
    mode: approval.mode,
    initiator: approval.initiator,
    trigger_type: approval.triggerType,
    kind: approval.kind,
    policy: approval.policy,
    request: approval.request && shownObject(approval.request),
    request_revision: approval.requestRevision,
    show: shownObject(approval.show),
    title: approval.title,
    form: approval.form,
    answer: approval.answer && shownObject(approval.answer),
    allowed_decisions: approval.allowedDecisions,
    required: approval.required,
    decisions: approval.decisions.map(presentDecision),
    opened_at: approval.openedAt.toISOString(),
    expires_at: approval.expiresAt.toISOString(),
    decided_at: approval.decidedAt?.toISOString() ?? null,
    ...(refusal !== undefined && { can_decide: refusal === null, cannot_decide_reason: refusal }),
    ...consolePage(consoleUrl, 'approvals', approval.id),
  };
}

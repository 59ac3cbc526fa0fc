import { ApiSchema } from '@nestjs/swagger';
import type { JsonObject, JsonValue } from '@app/kernel';
import {
  APPROVAL_DECISIONS,
  APPROVAL_KINDS,
  APPROVAL_STATUSES,
  type ApprovalDecision,
  type ApprovalKind,
  type ApprovalQuestion,
  APPROVAL_SORTS,
  type ApprovalSort,
  type ApprovalStatus,
  DECISION_CHANNELS,
  DECISION_REFUSALS,
  RUN_MODES,
  type DecisionChannel,
  type DecisionRefusal,
  type RunMode,
  TRIGGER_TYPES,
  type TriggerType,
} from '@app/runs';
import type { Principal } from '@app/workspace';
import {
  AgentId,
  AnyObject,
  ConsolePage,
  Field,
  Flag,
  Id,
  Nested,
  OneOf,
  Text,
  TimeParameter,
  Timestamp,
  Whole,
} from '../http/fields.js';
import { anyOrder, PageQuery } from '../http/list-pages.service.js';

@ApiSchema({ description: 'The decision of the caller.' })
export class DecideBody {
  @OneOf(APPROVAL_DECISIONS, {
    description:
      'Decision. `approve`: make the call. `edit`: make it with the arguments in `request`. `reject`: do not make it. For a call ' +
      'with unknown outcome (`kind: in_doubt`): `mark_succeeded`, `mark_failed` or `retry`. For a question (`kind: question`): `answer`.',
  })
  decision: ApprovalDecision;
  @Text({
    optional: true,
    maxLength: 2_000,
    description: 'Comment, shown with the decision.',
    example: 'Checked with Eve',
  })
  comment?: string;
  @AnyObject({
    optional: true,
    description:
      'All arguments of the call, only for the decision `edit`. The schema of the tool and the policies apply to them.',
    example: { order_id: '1002', amount: 50 },
  })
  request?: JsonObject;
  // Accepts any JSON value. The service later validates the answer against the form of the approval. Its error for a
  // value that is not an object is therefore the same as for an invalid field.
  @Field({
    optional: true,
    type: 'object',
    additionalProperties: true,
    description:
      'Answer to the question, only for the decision `answer`. It must match `form` of the approval. Defaults of the form are added.',
    example: { size: 'm' },
  })
  answer?: JsonValue;
}

/** Examples for the OpenAPI document. A generated example would combine fields that must not be combined. */
export const DECIDE_EXAMPLES = {
  approve: { summary: 'Approve the call', value: { decision: 'approve', comment: 'Checked with Eve' } },
  edit: {
    summary: 'Change the arguments and approve the call',
    value: { decision: 'edit', request: { order_id: '1002', amount: 50 }, comment: 'Only the shipping costs' },
  },
  answer: { summary: 'Answer a question', value: { decision: 'answer', answer: { size: 'm' } } },
};

export class ListApprovalsQuery extends PageQuery {
  @OneOf(APPROVAL_STATUSES, {
    optional: true,
    list: true,
    description: 'Statuses to list. Repeat the parameter or separate statuses with commas.',
  })
  status?: ApprovalStatus[];
  @AgentId({ optional: true, description: 'Id of the agent.', example: 'agt_01kahzvk3te9d8q6f0f1v3m2sx' })
  agent?: string;
  @Flag({
    optional: true,
    default: false,
    description: '`true` returns only the open approvals that the calling member may decide and has not approved.',
  })
  mine = false;
  @TimeParameter({ optional: true, description: 'Returns only approvals that expire before this time.' })
  expires_before?: Date;
  @OneOf(RUN_MODES, { optional: true, description: 'Mode of the run.' }) mode?: RunMode;
  @OneOf(APPROVAL_SORTS, {
    optional: true,
    default: 'created_at',
    description:
      'Time to sort by. `created_at`: the time of the request (`opened_at`). `expires_at`: the deadline. `order` sets the direction.',
  })
  sort: ApprovalSort = 'created_at';
}

@ApiSchema({ name: 'ApprovalDecision', description: 'The decision of one person.' })
export class ApprovalDecisionResource {
  @Text({ description: 'E-mail address of the person.', example: 'ada@example.com' }) by: string;
  @OneOf(APPROVAL_DECISIONS, { description: 'Decision of the person.' }) decision: ApprovalDecision;
  @Text({ nullable: true, description: 'Comment; null if none was given.', example: null }) comment: string | null;
  @OneOf(DECISION_CHANNELS, {
    description: 'Channel. `api`: an API key. `console`: a session. `cli`: the CLI.',
    example: 'console',
  })
  via: DecisionChannel;
  @Timestamp({ description: 'Time of the decision.' }) at: string;
  @AnyObject({
    nullable: true,
    description: 'Arguments that an `edit` replaced; null for other decisions, and for edits of earlier releases.',
    example: null,
  })
  request_before: JsonObject | null;
}

@ApiSchema({ name: 'Approval', description: 'A decision that a run requests from people.' })
export class ApprovalResource {
  @Id('approval') id: string;
  @Text({
    nullable: true,
    description: 'Operation that is called; for `kind: step` and `kind: question`, the id of the step.',
    example: 'orders.refund',
  })
  tool: string | null;
  @Text({
    description: 'Policy expression or step that requires the decision.',
    example: 'request.amount > 100.0',
  })
  reason: string;
  @Text({
    list: true,
    description: 'Groups whose members may decide; empty for the admins of the workspace.',
    example: ['finance-leads'],
  })
  approvers: string[];
  @OneOf(APPROVAL_STATUSES, { description: 'Status. Every status except `open` is final.' }) status: ApprovalStatus;
  @Id('run') run: string;
  @Id('agent') agent: string;
  @Text({ description: 'Current name of the agent.', example: 'refund-desk' }) agent_name: string;
  @Whole({ description: 'Number of the version that runs.', example: 3 }) version: number;
  @OneOf(RUN_MODES, { description: 'Mode of the run; `test` simulates write operations.' }) mode: RunMode;
  @Text({
    nullable: true,
    description: 'E-mail address of the person who started the run; null if no person did.',
    example: 'ada@example.com',
  })
  initiator: string | null;
  @OneOf(TRIGGER_TYPES, { description: 'Type of the trigger that started the run.', example: 'webhook' })
  trigger_type: TriggerType;
  @OneOf(APPROVAL_KINDS, {
    description:
      'Kind. `tool_call`: a policy requires an approval. `step`: the plan has an approval step. `in_doubt`: the outcome of a call ' +
      'is unknown. `question`: the plan asks people for data.',
  })
  kind: ApprovalKind;
  @Text({ description: 'Name of the policy or approval rule.', example: 'big-refund' }) policy: string;
  @AnyObject({
    nullable: true,
    description: 'Arguments of the call that is made after the approval; null for `kind: step` and `kind: question`.',
    example: { order_id: '1002', amount: 900 },
  })
  request: JsonObject | null;
  @Whole({
    description: 'Revision number of `request`, which increases with each edit. It is the `ETag` of the approval.',
    example: 1,
  })
  request_revision: number;
  @AnyObject({
    description: 'Values that the definition shows to approvers, by expression.',
    example: { 'request.amount': 900 },
  })
  show: JsonObject;
  @Text({
    nullable: true,
    description: 'Title of a question; null without a title, and for other kinds.',
    example: null,
  })
  title: string | null;
  @AnyObject({
    nullable: true,
    description: 'JSON Schema of the answer, for `kind: question`; null otherwise.',
    example: null,
  })
  form: JsonObject | null;
  @AnyObject({ nullable: true, description: 'Answer to the question; null until it is given.', example: null })
  answer: JsonObject | null;
  @OneOf(APPROVAL_DECISIONS, {
    list: true,
    description:
      'Decisions that this kind of approval accepts. Any other decision is rejected with 400 `invalid_request`.',
    example: ['approve', 'reject'],
  })
  allowed_decisions: ApprovalDecision[];
  @Whole({ description: 'Number of different people who must approve.', example: 1 }) required: number;
  @Nested(ApprovalDecisionResource, {
    list: true,
    description: 'Decisions so far, oldest first. An edit of the request removes earlier decisions.',
    example: [],
  })
  decisions: ApprovalDecisionResource[];
  @Timestamp({ description: 'Time at which the approval was requested.' }) opened_at: string;
  @Timestamp({
    description:
      'Time at which the approval expires. While the workspace is stopped, the remaining time does not decrease.',
    example: '2026-02-01T08:00:00.000Z',
  })
  expires_at: string;
  @Timestamp({
    nullable: true,
    description: 'Time at which the approval was decided, cancelled or expired; null while it is open.',
    example: null,
  })
  decided_at: string | null;
  @Flag({
    optional: true,
    description:
      'Whether the caller may decide. Absent in events and in the field `approvals` of a run, because those are the same for every reader.',
    example: false,
  })
  can_decide?: boolean;
  @OneOf(DECISION_REFUSALS, {
    optional: true,
    nullable: true,
    description:
      'Error code with which a decision of the caller would be rejected; null if the caller may decide. Absent ' +
      'if `can_decide` is absent.',
    example: 'not_an_approver',
  })
  cannot_decide_reason?: DecisionRefusal | null;
  @ConsolePage('approvals/apr') console_url?: string;
}

export function approvalQuestion({
  status,
  agent,
  mine,
  expires_before,
  mode,
  sort,
}: ListApprovalsQuery): ApprovalQuestion {
  return {
    mine,
    sort,
    ...(status && { statuses: status }),
    ...(agent !== undefined && { agentId: agent }),
    ...(expires_before && { expiresBefore: expires_before }),
    ...(mode && { mode }),
  };
}

/**
 * Returns the filters for which a cursor is valid. The filter `mine` becomes the id of the member, so that the cursor
 * of one member is not valid for the approvals of another member.
 */
export function cursorFilters(query: ListApprovalsQuery, { memberId }: Principal): JsonObject {
  const { status, agent, mine, expires_before, mode, sort } = query;
  return {
    status: anyOrder(status),
    agent: agent ?? null,
    mine: mine ? memberId : null,
    expires_before: expires_before?.toISOString() ?? null,
    mode: mode ?? null,
    sort,
  };
}

const COMMAND_LINE = /^aas-cli\//;

export function channelOf({ session }: Principal, userAgent: string | undefined): DecisionChannel {
  if (session) return 'console';
  return COMMAND_LINE.test(userAgent ?? '') ? 'cli' : 'api';
}

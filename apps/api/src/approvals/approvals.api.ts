import { ApiSchema } from '@nestjs/swagger';
import type { JsonObject } from '@app/kernel';
import {
  APPROVAL_DECISIONS,
  APPROVAL_KINDS,
  APPROVAL_STATUSES,
  type ApprovalDecision,
  type ApprovalKind,
  type ApprovalStatus,
} from '@app/runs';
import { AnyObject, Nested, OneOf, Text, Timestamp, Whole } from '../http/fields.js';
import { PageQuery } from '../http/list-pages.js';

export class DecideBody {
  @OneOf(APPROVAL_DECISIONS, {
    description:
      '`edit` approves the call with the arguments in `request`. `mark_succeeded`, `mark_failed` and `retry` are for a ' +
      'call whose outcome is not known (`kind: in_doubt`).',
  })
  decision: ApprovalDecision;
  @Text({ optional: true, maxLength: 2_000, description: 'Shown beside the decision.' }) comment?: string;
  @AnyObject({
    optional: true,
    description:
      'Of `edit`: all arguments of the call. The schema and the policies apply to them as to the first ones.',
    example: { order_id: '1002', amount: 50 },
  })
  request?: JsonObject;
}

export class ListApprovalsQuery extends PageQuery {
  @OneOf(APPROVAL_STATUSES, {
    optional: true,
    list: true,
    description: 'Any of these; repeated or separated by commas. `open` is the inbox.',
  })
  status?: ApprovalStatus[];
}

@ApiSchema({ name: 'ApprovalDecision' })
export class ApprovalDecisionResource {
  @Text({ description: 'E-mail address.', example: 'ada@example.com' }) by: string;
  @OneOf(APPROVAL_DECISIONS) decision: ApprovalDecision;
  @Text({ nullable: true }) comment: string | null;
  @Timestamp() at: string;
}

@ApiSchema({ name: 'Approval' })
export class ApprovalResource {
  @Text({ example: 'apr_01kahzvk3te9d8q6f0f1v3m2sx' }) id: string;
  @Text({ nullable: true, description: 'The operation that is called; for `kind: step` the id of the step.' }) tool:
    string | null;
  @Text({ description: 'The expression that asked for it.', example: 'request.amount > 100.0' }) reason: string;
  @Text({ list: true, description: 'Names of groups; empty: the admins of the workspace.' }) approvers: string[];
  @OneOf(APPROVAL_STATUSES) status: ApprovalStatus;
  @Text({ example: 'run_01kahzvk3te9d8q6f0f1v3m2sx' }) run: string;
  @Text({ example: 'agt_01kahzvk3te9d8q6f0f1v3m2sx' }) agent: string;
  @Whole({ description: "The agent's version that runs." }) version: number;
  @OneOf(APPROVAL_KINDS) kind: ApprovalKind;
  @Text({ description: 'Name of the policy or of the approval rule.' }) policy: string;
  @AnyObject({ nullable: true, description: 'What is sent when it is approved.' }) request: JsonObject | null;
  @Whole({ description: 'Rises with each edit of `request`; it is the `ETag` of the approval.' })
  request_revision: number;
  @AnyObject({ description: 'What the definition wants approvers to see, by its expression.' }) show: JsonObject;
  @OneOf(APPROVAL_DECISIONS, { list: true }) allowed_decisions: ApprovalDecision[];
  @Whole({ description: 'How many different people have to approve.' }) required: number;
  @Nested(ApprovalDecisionResource, { list: true, description: 'In order. An edit starts them anew.' })
  decisions: ApprovalDecisionResource[];
  @Timestamp() opened_at: string;
  @Timestamp({ description: 'Stands still while the workspace is stopped.' }) expires_at: string;
  @Timestamp({ nullable: true }) decided_at: string | null;
}

import { ApiProperty, ApiPropertyOptional, ApiSchema } from '@nestjs/swagger';
import { Transform } from 'class-transformer';
import { IsIn, IsObject, IsString, MaxLength } from 'class-validator';
import type { JsonObject } from '@app/kernel';
import {
  APPROVAL_DECISIONS,
  APPROVAL_KINDS,
  APPROVAL_STATUSES,
  type ApprovalDecision,
  type ApprovalKind,
  type ApprovalStatus,
} from '@app/runs';
import { PageQuery } from '../http/page.dto.js';
import { commaList } from '../http/query-values.js';
import { Optional } from '../http/request-validation.js';

const ANY_OBJECT = { type: 'object', additionalProperties: true } as const;

export class DecideBody {
  @ApiProperty({
    enum: APPROVAL_DECISIONS,
    description:
      '`edit` approves the call with the arguments in `request`. `mark_succeeded`, `mark_failed` and `retry` are for a ' +
      'call whose outcome is not known (`kind: in_doubt`).',
  })
  @IsIn(APPROVAL_DECISIONS)
  decision: ApprovalDecision;

  @ApiPropertyOptional({ type: String, maxLength: 2_000, description: 'Shown beside the decision.' })
  @Optional()
  @MaxLength(2_000)
  @IsString()
  comment?: string;

  @ApiPropertyOptional({
    ...ANY_OBJECT,
    description:
      'Of `edit`: all arguments of the call. The schema and the policies apply to them as to the first ones.',
    example: { order_id: '1002', amount: 50 },
  })
  @Optional()
  @IsObject()
  request?: JsonObject;
}

export class ListApprovalsQuery extends PageQuery {
  @ApiPropertyOptional({
    enum: APPROVAL_STATUSES,
    isArray: true,
    description: 'Any of these; repeated or separated by commas. `open` is the inbox.',
  })
  @Optional()
  @IsIn(APPROVAL_STATUSES, { each: true })
  @Transform(commaList)
  status?: ApprovalStatus[];
}

@ApiSchema({ name: 'ApprovalDecision' })
export class ApprovalDecisionResource {
  @ApiProperty({ description: 'E-mail address.', example: 'ada@example.com' })
  by: string;

  @ApiProperty({ enum: APPROVAL_DECISIONS })
  decision: ApprovalDecision;

  @ApiProperty({ type: String, nullable: true })
  comment: string | null;

  @ApiProperty({ format: 'date-time' })
  at: string;
}

@ApiSchema({ name: 'Approval' })
export class ApprovalResource {
  @ApiProperty({ example: 'apr_01kahzvk3te9d8q6f0f1v3m2sx' })
  id: string;

  @ApiProperty({
    type: String,
    nullable: true,
    description: 'The operation that is called; for `kind: step` the id of the step.',
  })
  tool: string | null;

  @ApiProperty({ description: 'The expression that asked for it.', example: 'request.amount > 100.0' })
  reason: string;

  @ApiProperty({ type: [String], description: 'Names of groups; empty: the admins of the workspace.' })
  approvers: string[];

  @ApiProperty({ enum: APPROVAL_STATUSES })
  status: ApprovalStatus;

  @ApiProperty({ example: 'run_01kahzvk3te9d8q6f0f1v3m2sx' })
  run: string;

  @ApiProperty({ example: 'agt_01kahzvk3te9d8q6f0f1v3m2sx' })
  agent: string;

  @ApiProperty({ type: 'integer', description: "The agent's version that runs." })
  version: number;

  @ApiProperty({ enum: APPROVAL_KINDS })
  kind: ApprovalKind;

  @ApiProperty({ description: 'Name of the policy or of the approval rule.' })
  policy: string;

  @ApiProperty({ ...ANY_OBJECT, nullable: true, description: 'What is sent when it is approved.' })
  request: JsonObject | null;

  @ApiProperty({ type: 'integer', description: 'Rises with each edit of `request`; it is the `ETag` of the approval.' })
  request_revision: number;

  @ApiProperty({ ...ANY_OBJECT, description: 'What the definition wants approvers to see, by its expression.' })
  show: JsonObject;

  @ApiProperty({ enum: APPROVAL_DECISIONS, isArray: true })
  allowed_decisions: ApprovalDecision[];

  @ApiProperty({ type: 'integer', description: 'How many different people have to approve.' })
  required: number;

  @ApiProperty({ type: [ApprovalDecisionResource], description: 'In order. An edit starts them anew.' })
  decisions: ApprovalDecisionResource[];

  @ApiProperty({ format: 'date-time' })
  opened_at: string;

  @ApiProperty({ format: 'date-time', description: 'Stands still while the workspace is stopped.' })
  expires_at: string;

  @ApiProperty({ type: String, format: 'date-time', nullable: true })
  decided_at: string | null;
}

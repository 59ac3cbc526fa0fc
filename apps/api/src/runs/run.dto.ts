import { ApiProperty, ApiPropertyOptional, ApiSchema } from '@nestjs/swagger';
import { Transform } from 'class-transformer';
import { IsBoolean, IsDate, IsIn, IsInt, IsObject, IsString, Max, MaxLength, Min } from 'class-validator';
import type { JsonObject } from '@app/kernel';
import {
  RUN_MODES,
  RUN_STATUSES,
  type RunMode,
  type RunStatus,
  TRIGGER_TYPES,
  type TriggerType,
  TOOL_RESULTS,
  type ToolResults,
} from '@app/runs';
import { ApprovalResource } from '../approvals/approval.dto.js';
import { PageQuery } from '../http/page.dto.js';
import { commaList, flag, timestamp, wholeNumber } from '../http/query-values.js';
import { IsAgentId, Optional } from '../http/request-validation.js';
import { LIMIT_WORDS } from '../openapi/configured-limits.js';

const HIGHEST_NUMBER = 2 ** 31 - 1;
const ANY_OBJECT = { type: 'object', additionalProperties: true } as const;

export class StartRunBody {
  @ApiPropertyOptional({
    ...ANY_OBJECT,
    description: `Validated against the definition's \`input\` schema. At most ${LIMIT_WORDS.input} as JSON.`,
    example: { name: 'Ada' },
  })
  @Optional()
  @IsObject()
  input: JsonObject = {};

  @ApiPropertyOptional({ enum: RUN_MODES, description: 'Default: `production` for live keys, `test` for test keys.' })
  @Optional()
  @IsIn(RUN_MODES)
  mode?: RunMode;

  @ApiPropertyOptional({
    type: 'integer',
    minimum: 1,
    maximum: HIGHEST_NUMBER,
    description: 'Default: the production version.',
  })
  @Optional()
  @Max(HIGHEST_NUMBER)
  @Min(1)
  @IsInt()
  version?: number;
}

export class CancelRunBody {
  @ApiPropertyOptional({ type: String, maxLength: 1_000, description: 'Shown in the run as `cancel_reason`.' })
  @Optional()
  @MaxLength(1_000)
  @IsString()
  reason?: string;
}

export class ListRunsQuery extends PageQuery {
  @ApiPropertyOptional({
    type: String,
    description: 'Only runs of this agent.',
    example: 'agt_01kahzvk3te9d8q6f0f1v3m2sx',
  })
  @Optional()
  @IsAgentId()
  agent?: string;

  @ApiPropertyOptional({
    enum: RUN_STATUSES,
    isArray: true,
    description: 'Any of these; repeated or separated by commas.',
  })
  @Optional()
  @IsIn(RUN_STATUSES, { each: true })
  @Transform(commaList)
  status?: RunStatus[];

  @ApiPropertyOptional({ enum: TRIGGER_TYPES })
  @Optional()
  @IsIn(TRIGGER_TYPES)
  trigger_type?: TriggerType;

  @ApiPropertyOptional({ enum: RUN_MODES })
  @Optional()
  @IsIn(RUN_MODES)
  mode?: RunMode;

  @ApiPropertyOptional({ type: String, format: 'date-time', description: 'Created at this time or later.' })
  @Optional()
  @IsDate({ message: 'since must be an RFC 3339 time such as 2026-01-31T08:00:00Z (a plus sign is written %2B)' })
  @Transform(timestamp)
  since?: Date;

  @ApiPropertyOptional({ type: String, format: 'date-time', description: 'Created before this time.' })
  @Optional()
  @IsDate({ message: 'until must be an RFC 3339 time such as 2026-01-31T08:00:00Z (a plus sign is written %2B)' })
  @Transform(timestamp)
  until?: Date;
}

export class StepsAfterQuery {
  @ApiPropertyOptional({ type: 'integer', minimum: 0, default: 0, description: 'Only steps after this position.' })
  @Optional()
  @Min(0)
  @IsInt({ message: 'after_n must be a whole number from 0' })
  @Transform(wholeNumber)
  after_n = 0;
}

const REVEAL = {
  type: 'boolean',
  default: false,
  description:
    'With what the definition redacts, which is `[redacted]` everywhere else. Needs the scope `runs:reveal` and is recorded in the audit log.',
} as const;

export class RevealQuery {
  @ApiPropertyOptional(REVEAL)
  @Optional()
  @IsBoolean({ message: 'reveal must be true or false' })
  @Transform(flag)
  reveal = false;
}

export class TraceQuery extends StepsAfterQuery {
  @ApiPropertyOptional(REVEAL)
  @Optional()
  @IsBoolean({ message: 'reveal must be true or false' })
  @Transform(flag)
  reveal = false;
}

export class RunCost {
  @ApiProperty({ example: '0.0125', description: 'Decimal.' })
  amount: string;

  @ApiProperty({ example: 'EUR', description: 'ISO 4217.' })
  currency: string;

  @ApiPropertyOptional({
    description: 'True where something that was used has no known price; it is not in the amount.',
  })
  partial?: boolean;
}

@ApiSchema({ name: 'RunWarning' })
export class RunWarningResource {
  @ApiProperty({ example: 'output_truncated' })
  code: string;

  @ApiProperty()
  message: string;

  @ApiProperty({ type: String, nullable: true, description: 'Id of the step in the definition.' })
  step: string | null;

  @ApiProperty({ type: 'integer', description: 'Position in the trace.' })
  n: number;
}

@ApiSchema({ name: 'RunError' })
export class RunErrorResource {
  @ApiProperty({ example: 'tool_error' })
  code: string;

  @ApiProperty()
  message: string;

  @ApiProperty({ type: String, nullable: true, description: 'Id of the step in the definition.' })
  step: string | null;
}

/** What started a run. Further members depend on the type. */
@ApiSchema({ name: 'RunTrigger' })
class RunTriggerResource {
  @ApiProperty({ enum: TRIGGER_TYPES })
  type: TriggerType;

  @ApiPropertyOptional({ type: String, description: 'Of an email trigger.' })
  mailbox?: string;

  @ApiPropertyOptional({ type: String, description: 'Of an email trigger.' })
  message_id?: string;

  @ApiPropertyOptional({ type: String, description: 'Of a replay, which also has what triggered that run: its id.' })
  run?: string;

  @ApiPropertyOptional({ enum: TOOL_RESULTS, description: 'Of a replay.' })
  tool_results?: ToolResults;

  @ApiPropertyOptional({
    type: 'integer',
    nullable: true,
    description: 'Of a replay: results recorded before this position were taken over.',
  })
  from_step?: number | null;
}

@ApiSchema({ name: 'Run' })
export class RunResource {
  @ApiProperty({ example: 'run_01kahzvk3te9d8q6f0f1v3m2sx' })
  id: string;

  @ApiProperty({ example: 'agt_01kahzvk3te9d8q6f0f1v3m2sx' })
  agent: string;

  @ApiProperty({ type: 'integer', description: 'The version that runs.' })
  version: number;

  @ApiProperty({ enum: RUN_MODES })
  mode: RunMode;

  @ApiProperty({ enum: RUN_STATUSES })
  status: RunStatus;

  @ApiProperty({ type: RunTriggerResource })
  trigger: JsonObject;

  @ApiProperty(ANY_OBJECT)
  input: JsonObject;

  @ApiProperty({
    description: 'Null until the run produces output. What is no object (a list, a text) is its `value`.',
    nullable: true,
    ...ANY_OBJECT,
  })
  output: JsonObject | null;

  @ApiProperty({ type: [ApprovalResource], description: 'What it has asked people, in that order.' })
  approvals: ApprovalResource[];

  @ApiProperty({ format: 'date-time', description: 'When the run was accepted.' })
  started_at: string;

  @ApiProperty({ type: String, format: 'date-time', nullable: true })
  ended_at: string | null;

  @ApiProperty({ type: 'integer', nullable: true, description: 'Active time, without waiting for approvals.' })
  duration_ms: number | null;

  @ApiProperty({ type: RunCost })
  cost: RunCost;

  @ApiProperty({ format: 'date-time' })
  created_at: string;

  @ApiProperty({ type: RunErrorResource, nullable: true })
  error: RunErrorResource | null;

  @ApiProperty({ type: 'object', additionalProperties: { type: 'string' } })
  labels: JsonObject;

  @ApiProperty({ type: String, nullable: true, description: 'E-mail address of who started it.' })
  initiator: string | null;

  @ApiProperty({ type: String, nullable: true })
  replay_of: string | null;

  @ApiProperty({ type: String, nullable: true })
  cancel_reason: string | null;

  @ApiProperty({ type: [RunWarningResource], description: 'What did not fail and may be wrong; at most 20.' })
  warnings: RunWarningResource[];
}

import { ApiProperty, ApiPropertyOptional, ApiSchema } from '@nestjs/swagger';
import { Transform } from 'class-transformer';
import { IsDate, IsIn } from 'class-validator';
import { USAGE_GROUPINGS, type UsageGrouping } from '@app/runs';
import { timestamp } from '../http/query-values.js';
import { IsAgentId, Optional } from '../http/request-validation.js';
import { RunCost } from '../runs/run.dto.js';

export class UsageQuery {
  @ApiPropertyOptional({ enum: USAGE_GROUPINGS, default: 'day', description: 'Days are those of UTC.' })
  @Optional()
  @IsIn(USAGE_GROUPINGS)
  group_by: UsageGrouping = 'day';

  @ApiPropertyOptional({ type: String, format: 'date-time', description: 'Default: 30 days before `until`.' })
  @Optional()
  @IsDate({ message: 'since must be an RFC 3339 time such as 2026-01-31T08:00:00Z (a plus sign is written %2B)' })
  @Transform(timestamp)
  since?: Date;

  @ApiPropertyOptional({ type: String, format: 'date-time', description: 'Not included. Default: now.' })
  @Optional()
  @IsDate({ message: 'until must be an RFC 3339 time such as 2026-01-31T08:00:00Z (a plus sign is written %2B)' })
  @Transform(timestamp)
  until?: Date;

  @ApiPropertyOptional({ type: String, description: 'Only runs of this agent.' })
  @Optional()
  @IsAgentId()
  agent?: string;
}

export class UsageTokens {
  @ApiProperty({ type: 'integer' })
  input: number;

  @ApiProperty({ type: 'integer' })
  output: number;
}

@ApiSchema({ name: 'Usage' })
export class UsageResource {
  @ApiPropertyOptional({ type: String, description: 'Where usage is grouped by agent: its id.' })
  agent?: string;

  @ApiPropertyOptional({ type: String, description: 'Where usage is grouped by day.', example: '2026-01-31' })
  day?: string;

  @ApiPropertyOptional({ type: String, description: 'Where usage is grouped by model.', example: 'openai/gpt-5-mini' })
  model?: string;

  @ApiProperty({ type: 'integer', description: 'Runs that were started, or that asked the model.' })
  runs: number;

  @ApiProperty({ type: UsageTokens })
  tokens: UsageTokens;

  @ApiProperty({ type: RunCost })
  cost: RunCost;
}

export class UsageReport {
  @ApiProperty({ enum: USAGE_GROUPINGS })
  group_by: UsageGrouping;

  @ApiProperty({ format: 'date-time' })
  since: string;

  @ApiProperty({ format: 'date-time' })
  until: string;

  @ApiProperty({ type: [UsageResource], description: 'In the order of the groups; groups without runs are left out.' })
  data: UsageResource[];
}

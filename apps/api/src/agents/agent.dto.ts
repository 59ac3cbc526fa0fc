import { ApiProperty, ApiPropertyOptional, ApiSchema } from '@nestjs/swagger';
import { IsIn, IsString } from 'class-validator';
import { AGENT_STATUSES, type AgentStatus, type EffectiveAgentStatus } from '@app/agents';
import { PageQuery } from '../http/page.dto.js';
import { DefinitionFinding } from './definition.dto.js';
import { Optional } from '../http/request-validation.js';

export class ListAgentsQuery extends PageQuery {
  @ApiPropertyOptional({ type: String, description: 'Only the agent of this name.' })
  @Optional()
  @IsString()
  name?: string;

  @ApiPropertyOptional({ enum: AGENT_STATUSES, description: 'Default: every agent that is not archived.' })
  @Optional()
  @IsIn(AGENT_STATUSES)
  status?: AgentStatus;
}

export class AgentTrigger {
  @ApiPropertyOptional({ type: String })
  id?: string;

  @ApiProperty({ example: 'email.received' })
  type: string;

  @ApiPropertyOptional({ type: String, description: 'Of an email trigger.', example: 'refunds@example.com' })
  mailbox?: string;

  @ApiPropertyOptional({ type: String, description: 'Of a schedule: five fields.', example: '0 7 * * 1-5' })
  cron?: string;

  @ApiPropertyOptional({ type: String, description: 'Of a schedule: IANA time zone.', example: 'Europe/Berlin' })
  timezone?: string;
}

@ApiSchema({ name: 'Agent' })
export class AgentResource {
  @ApiProperty({ example: 'agt_01kahzvk3te9d8q6f0f1v3m2sx' })
  id: string;

  @ApiProperty({ description: "Unique among the workspace's agents that are not archived.", example: 'refund-desk' })
  name: string;

  @ApiProperty()
  description: string;

  @ApiProperty({ type: 'integer', description: 'The version that runs use.' })
  production_version: number;

  @ApiProperty({ type: 'integer', description: 'The highest version.' })
  latest_version: number;

  @ApiProperty({ enum: AGENT_STATUSES })
  status: AgentStatus;

  @ApiProperty({ enum: [...AGENT_STATUSES, 'stopped'], description: '`stopped` while the workspace is stopped.' })
  effective_status: EffectiveAgentStatus;

  @ApiProperty({ type: [AgentTrigger], description: 'What starts runs of the production version, besides the API.' })
  triggers: AgentTrigger[];

  @ApiProperty({ format: 'date-time' })
  created_at: string;

  @ApiProperty({ format: 'date-time' })
  updated_at: string;
}

@ApiSchema({ name: 'CreatedAgent' })
export class CreatedAgentResource extends AgentResource {
  @ApiProperty({
    description: 'For the header `X-Service-Webhook-Secret`. Only this answer has it.',
    example: 'whsec_…',
  })
  webhook_secret: string;

  @ApiProperty({ type: [DefinitionFinding], description: 'What its author ought to know about the definition.' })
  warnings: DefinitionFinding[];
}

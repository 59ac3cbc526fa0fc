import { ApiProperty, ApiPropertyOptional, type ApiPropertyOptions, ApiSchema } from '@nestjs/swagger';
import { ArrayMaxSize, ArrayMinSize, IsArray, IsIn, IsString, MaxLength, ValidateIf } from 'class-validator';
import {
  DISABLED_REASONS,
  type DisabledReason,
  ENDPOINT_STATUSES,
  type EndpointStatus,
  EVENT_TYPES,
  type EventType,
  LONGEST_URL,
} from '@app/events';
import { IsAgentId, Optional } from '../http/request-validation.js';

const MOST_AGENTS = 100;

/** The field may be absent or null. */
const OrNull = (): PropertyDecorator => ValidateIf((_, value) => value !== undefined && value !== null);

const URL_MEMBER = {
  example: 'https://example.com/events',
  maxLength: LONGEST_URL,
  description:
    'Where messages are posted to. `https:`, at an address that is not private; others only where the operator has listed them in EGRESS_ALLOW.',
};
const EVENTS_MEMBER = {
  enum: EVENT_TYPES,
  isArray: true,
  minItems: 1,
  description: 'What it is told about.',
  example: ['run.completed'],
};
const AGENTS_MEMBER: ApiPropertyOptions = {
  type: [String],
  nullable: true,
  description: 'Only events about these agents, beside those that are about no agent. Null: about all.',
  example: ['agt_01kahzvk3te9d8q6f0f1v3m2sx'],
};
const DESCRIPTION_MEMBER = { type: String, maxLength: 1_000 };

export class CreateWebhookEndpointBody {
  @ApiProperty(URL_MEMBER)
  @MaxLength(LONGEST_URL)
  @IsString()
  url: string;

  @ApiProperty(EVENTS_MEMBER)
  @IsIn(EVENT_TYPES, { each: true })
  @ArrayMaxSize(EVENT_TYPES.length)
  @ArrayMinSize(1)
  @IsArray()
  events: EventType[];

  @ApiPropertyOptional(AGENTS_MEMBER)
  @OrNull()
  @IsAgentId({ each: true })
  @ArrayMaxSize(MOST_AGENTS)
  @ArrayMinSize(1)
  @IsArray()
  agents?: string[] | null;

  @ApiPropertyOptional({ ...DESCRIPTION_MEMBER, default: '' })
  @Optional()
  @MaxLength(1_000)
  @IsString()
  description = '';

  @ApiPropertyOptional({ enum: ENDPOINT_STATUSES, default: 'enabled' })
  @Optional()
  @IsIn(ENDPOINT_STATUSES)
  status: EndpointStatus = 'enabled';
}

export class UpdateWebhookEndpointBody {
  @ApiPropertyOptional(URL_MEMBER)
  @Optional()
  @MaxLength(LONGEST_URL)
  @IsString()
  url?: string;

  @ApiPropertyOptional(EVENTS_MEMBER)
  @Optional()
  @IsIn(EVENT_TYPES, { each: true })
  @ArrayMaxSize(EVENT_TYPES.length)
  @ArrayMinSize(1)
  @IsArray()
  events?: EventType[];

  @ApiPropertyOptional(AGENTS_MEMBER)
  @OrNull()
  @IsAgentId({ each: true })
  @ArrayMaxSize(MOST_AGENTS)
  @ArrayMinSize(1)
  @IsArray()
  agents?: string[] | null;

  @ApiPropertyOptional(DESCRIPTION_MEMBER)
  @Optional()
  @MaxLength(1_000)
  @IsString()
  description?: string;

  @ApiPropertyOptional({
    enum: ENDPOINT_STATUSES,
    description: '`disabled` gives up what it is still owed; `enabled` forgets that it had failed.',
  })
  @Optional()
  @IsIn(ENDPOINT_STATUSES)
  status?: EndpointStatus;
}

@ApiSchema({ name: 'WebhookEndpoint' })
export class WebhookEndpointResource {
  @ApiProperty({ example: 'whe_01kahzvk3te9d8q6f0f1v3m2sx' })
  id: string;

  @ApiProperty({ example: 'https://example.com/events' })
  url: string;

  @ApiProperty({ enum: EVENT_TYPES, isArray: true })
  events: EventType[];

  @ApiProperty({ type: [String], nullable: true, description: 'Null: all.' })
  agents: string[] | null;

  @ApiProperty()
  description: string;

  @ApiProperty({ enum: ENDPOINT_STATUSES })
  status: EndpointStatus;

  @ApiProperty({
    enum: DISABLED_REASONS,
    nullable: true,
    description: 'Why it is disabled: somebody asked for it, it answered 410, or it failed for five days.',
  })
  disabled_reason: DisabledReason | null;

  @ApiProperty({
    type: String,
    format: 'date-time',
    nullable: true,
    description: 'Since the first failure that no success has followed.',
  })
  failing_since: string | null;

  @ApiProperty({
    type: String,
    format: 'date-time',
    nullable: true,
    description: 'Until then messages are signed with the secret before as well.',
  })
  previous_secret_expires_at: string | null;

  @ApiProperty({ format: 'date-time' })
  created_at: string;

  @ApiProperty({ format: 'date-time' })
  updated_at: string;
}

@ApiSchema({ name: 'NewWebhookEndpoint' })
export class NewWebhookEndpointResource extends WebhookEndpointResource {
  @ApiProperty({ description: 'What messages are signed with. Only this answer has it.', example: 'whsec_…' })
  secret: string;
}

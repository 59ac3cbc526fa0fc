import { ApiProperty, ApiPropertyOptional, ApiSchema } from '@nestjs/swagger';
import { Transform } from 'class-transformer';
import { IsDate, IsIn } from 'class-validator';
import type { JsonObject } from '@app/kernel';
import { EVENT_TYPES, type EventType } from '@app/events';
import { PageQuery } from '../http/page.dto.js';
import { commaList, timestamp } from '../http/query-values.js';
import { IsAgentId, Optional } from '../http/request-validation.js';

export class ListEventsQuery extends PageQuery {
  @ApiPropertyOptional({
    enum: EVENT_TYPES,
    isArray: true,
    description: 'Any of these; repeated or separated by commas.',
  })
  @Optional()
  @IsIn(EVENT_TYPES, { each: true })
  @Transform(commaList)
  type?: EventType[];

  @ApiPropertyOptional({
    type: String,
    description: 'Only events about this agent.',
    example: 'agt_01kahzvk3te9d8q6f0f1v3m2sx',
  })
  @Optional()
  @IsAgentId()
  agent?: string;

  @ApiPropertyOptional({ type: String, format: 'date-time', description: 'At this time or later.' })
  @Optional()
  @IsDate({ message: 'since must be an RFC 3339 time such as 2026-01-31T08:00:00Z (a plus sign is written %2B)' })
  @Transform(timestamp)
  since?: Date;

  @ApiPropertyOptional({ type: String, format: 'date-time', description: 'Before this time.' })
  @Optional()
  @IsDate({ message: 'until must be an RFC 3339 time such as 2026-01-31T08:00:00Z (a plus sign is written %2B)' })
  @Transform(timestamp)
  until?: Date;
}

/** What a message says, and what `GET /v1/events` lists. */
@ApiSchema({ name: 'Event' })
export class EventResource {
  @ApiProperty({ example: 'evt_01kahzvk3te9d8q6f0f1v3m2sx', description: 'The `webhook-id` of its messages.' })
  id: string;

  @ApiProperty({ enum: EVENT_TYPES })
  type: EventType;

  @ApiProperty({ format: 'date-time' })
  timestamp: string;

  @ApiProperty({ example: 'wsp_01kahzvk3te9d8q6f0f1v3m2sx' })
  workspace: string;

  @ApiProperty({
    type: 'object',
    additionalProperties: true,
    description: 'Depends on the type: see `webhooks` in this description.',
  })
  data: JsonObject;
}

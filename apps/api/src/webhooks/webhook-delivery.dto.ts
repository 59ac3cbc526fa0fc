import { ApiProperty, ApiPropertyOptional, ApiSchema } from '@nestjs/swagger';
import { Transform } from 'class-transformer';
import { IsIn } from 'class-validator';
import { DELIVERY_STATUSES, type DeliveryStatus, EVENT_TYPES, type EventType } from '@app/events';
import { PageQuery } from '../http/page.dto.js';
import { commaList } from '../http/query-values.js';
import { Optional } from '../http/request-validation.js';

export class ListDeliveriesQuery extends PageQuery {
  @ApiPropertyOptional({
    enum: DELIVERY_STATUSES,
    isArray: true,
    description: 'Any of these; repeated or separated by commas.',
  })
  @Optional()
  @IsIn(DELIVERY_STATUSES, { each: true })
  @Transform(commaList)
  status?: DeliveryStatus[];
}

@ApiSchema({ name: 'WebhookDelivery' })
export class WebhookDeliveryResource {
  @ApiProperty({ example: 'dlv_01kahzvk3te9d8q6f0f1v3m2sx' })
  id: string;

  @ApiProperty({ example: 'whe_01kahzvk3te9d8q6f0f1v3m2sx' })
  endpoint: string;

  @ApiProperty({ example: 'evt_01kahzvk3te9d8q6f0f1v3m2sx', description: 'The `webhook-id` of every attempt.' })
  event: string;

  @ApiProperty({ enum: EVENT_TYPES })
  event_type: EventType;

  @ApiProperty({
    enum: DELIVERY_STATUSES,
    description: '`failed` is not tried again; `cancelled`: its endpoint was disabled before.',
  })
  status: DeliveryStatus;

  @ApiProperty({ type: 'integer', description: 'Attempts made.' })
  attempts: number;

  @ApiProperty({
    type: String,
    format: 'date-time',
    nullable: true,
    description: 'Null while an attempt is under way.',
  })
  next_attempt_at: string | null;

  @ApiProperty({ type: String, format: 'date-time', nullable: true })
  last_attempt_at: string | null;

  @ApiProperty({ type: 'integer', nullable: true, description: 'Of the last attempt; null where nobody answered.' })
  response_status: number | null;

  @ApiProperty({ type: String, nullable: true, description: 'The first 1 024 bytes of the last answer.' })
  response_body: string | null;

  @ApiProperty({ type: 'integer', nullable: true, description: 'Of the last attempt.' })
  latency_ms: number | null;

  @ApiProperty({ type: String, nullable: true, description: 'Why the last attempt had no answer.' })
  error: string | null;

  @ApiProperty({ format: 'date-time' })
  created_at: string;
}

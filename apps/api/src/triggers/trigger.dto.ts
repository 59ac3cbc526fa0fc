import { ApiProperty, ApiPropertyOptional, ApiSchema } from '@nestjs/swagger';
import { Transform } from 'class-transformer';
import { IsIn, IsString } from 'class-validator';
import { TRIGGER_OUTCOMES, type TriggerOutcome } from '@app/triggers';
import { PageQuery } from '../http/page.dto.js';
import { commaList } from '../http/query-values.js';
import { Optional } from '../http/request-validation.js';

const TYPES = ['webhook', 'email.received', 'schedule'] as const;

@ApiSchema({ name: 'Trigger' })
export class TriggerResource {
  @ApiProperty({ description: 'As the definition calls it.', example: 'morning' })
  id: string;

  @ApiProperty({ enum: TYPES })
  type: (typeof TYPES)[number];

  @ApiProperty({ description: 'False while its agent is paused or archived or the workspace is stopped.' })
  enabled: boolean;

  @ApiPropertyOptional({
    type: String,
    format: 'date-time',
    nullable: true,
    description: 'Of a schedule: the next fire time; null while the schedule is not enabled.',
  })
  next_fire_at?: string | null;

  @ApiProperty({
    type: String,
    format: 'date-time',
    nullable: true,
    description: 'When something last arrived for it.',
  })
  last_event_at: string | null;

  @ApiProperty({ type: String, nullable: true, description: 'Why `health` is `error`; null while it is `ok`.' })
  last_error: string | null;

  @ApiProperty({ enum: ['ok', 'error'], description: '`error`: its latest event was refused or failed.' })
  health: 'ok' | 'error';
}

/** An agent has at most twenty triggers: its list is one page. */
@ApiSchema({ name: 'TriggerList' })
export class TriggerListResource {
  @ApiProperty({ type: [TriggerResource] })
  data: TriggerResource[];
}

export class ListTriggerEventsQuery extends PageQuery {
  @ApiPropertyOptional({ type: String, description: 'Only events of this trigger.' })
  @Optional()
  @IsString()
  trigger?: string;

  @ApiPropertyOptional({
    enum: TRIGGER_OUTCOMES,
    isArray: true,
    description: 'Only events that ended so; repeat it or separate with commas.',
  })
  @Optional()
  @Transform(commaList)
  @IsIn(TRIGGER_OUTCOMES, { each: true })
  outcome?: TriggerOutcome[];
}

class TriggerEventError {
  @ApiProperty({ description: 'JSON Pointer into what arrived, or below `/input` into what the trigger maps it to.' })
  pointer: string;

  @ApiProperty()
  detail: string;
}

@ApiSchema({ name: 'TriggerEvent' })
export class TriggerEventResource {
  @ApiProperty({ example: 'evt_01kahzvk3te9d8q6f0f1v3m2sx' })
  id: string;

  @ApiProperty({ example: 'agt_01kahzvk3te9d8q6f0f1v3m2sx' })
  agent: string;

  @ApiProperty({ description: 'The id of the trigger.', example: 'hook' })
  trigger: string;

  @ApiProperty({ enum: TYPES })
  type: string;

  @ApiProperty({
    enum: TRIGGER_OUTCOMES,
    description:
      '`started`: one run. `filtered`: ignored by the filter, or by `overlap` or `catch_up` of a schedule. `duplicate`: it had arrived ' +
      'before. `rate_limited`: too many at a time. `refused`: what it gives does not fit the input. `error`: its expressions failed, ' +
      'or what brings events to it did.',
  })
  outcome: TriggerOutcome;

  @ApiProperty({ type: String, nullable: true, description: 'Why it started no run.' })
  reason: string | null;

  @ApiProperty({ type: [TriggerEventError], description: 'Where the input was wrong.' })
  errors: TriggerEventError[];

  @ApiProperty({ type: 'integer', nullable: true, description: 'The version that decided.' })
  version: number | null;

  @ApiProperty({
    type: String,
    nullable: true,
    description: 'The run that it started; of a duplicate, the first one did.',
  })
  run: string | null;

  @ApiProperty({ type: String, nullable: true, description: 'How repetitions of the event are recognised.' })
  key: string | null;

  @ApiProperty({ format: 'date-time' })
  created_at: string;
}

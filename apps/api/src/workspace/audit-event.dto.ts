import { ApiProperty, ApiPropertyOptional, ApiSchema } from '@nestjs/swagger';
import { IsString, MaxLength } from 'class-validator';
import type { JsonObject } from '@app/kernel';
import { RECORDED_ACTIONS } from '@app/workspace';
import { PageQuery } from '../http/page.dto.js';
import { IsOneOf, Optional } from '../http/request-validation.js';

export class ListAuditEventsQuery extends PageQuery {
  @ApiPropertyOptional({
    type: String,
    description: 'Only what this member did: an e-mail address.',
    example: 'ada@example.com',
  })
  @Optional()
  @MaxLength(320)
  @IsString()
  actor?: string;

  @ApiPropertyOptional({
    enum: RECORDED_ACTIONS,
    description: 'Only events with this action.',
    example: 'workspace.stop',
  })
  @Optional()
  @IsOneOf(RECORDED_ACTIONS)
  action?: string;
}

@ApiSchema({ name: 'AuditEvent' })
export class AuditEventResource {
  @ApiProperty({ example: 'evt_01kahzvk3te9d8q6f0f1v3m2sx' })
  id: string;

  @ApiProperty({ description: 'E-mail address of the member.', example: 'ada@example.com' })
  actor: string;

  @ApiProperty({ description: 'What was done; `…_refused` where it was not allowed.', example: 'workspace.stop' })
  action: string;

  @ApiProperty({ type: String, nullable: true, description: 'Id or name of what it was done to.' })
  target: string | null;

  @ApiProperty({ type: 'object', additionalProperties: true })
  detail: JsonObject;

  @ApiProperty({ format: 'date-time' })
  created_at: string;
}

import { ApiProperty, ApiPropertyOptional, ApiSchema } from '@nestjs/swagger';
import { IsString } from 'class-validator';
import { Optional } from '../http/request-validation.js';

export class TriggerAgentQuery {
  @ApiPropertyOptional({
    type: String,
    description:
      'Id of the webhook trigger that it is for. Without it, the first of the definition whose filter does not ignore the body.',
  })
  @Optional()
  @IsString()
  trigger?: string;
}

@ApiSchema({ name: 'TriggerResult' })
export class TriggerResultResource {
  @ApiProperty({ type: String, nullable: true, description: 'The run; null where the filter ignored the call.' })
  run: string | null;

  @ApiProperty({ enum: ['queued', 'filtered'] })
  status: 'queued' | 'filtered';

  @ApiPropertyOptional({ type: Boolean, description: 'With a run: whether this delivery had started it before.' })
  duplicate?: boolean;

  @ApiPropertyOptional({ type: String, description: 'Without a run: why.' })
  reason?: string;
}

@ApiSchema({ name: 'WebhookSecret' })
export class WebhookSecretResource {
  @ApiProperty({ example: 'agt_01kahzvk3te9d8q6f0f1v3m2sx' })
  agent: string;

  @ApiProperty({ description: 'The new secret. Only this answer has it.', example: 'whsec_…' })
  webhook_secret: string;

  @ApiProperty({ format: 'date-time', description: 'Until when the secret before is valid.' })
  previous_valid_until: string;
}

import { ApiProperty, type ApiPropertyOptions } from '@nestjs/swagger';
import { EVALUATION_STATUSES, type EvaluationStatus } from '@app/agents';

export const EVALUATION_OF_VERSION: ApiPropertyOptions = {
  type: 'object',
  nullable: true,
  required: ['id', 'status'],
  properties: { id: { type: 'string' }, status: { type: 'string', enum: [...EVALUATION_STATUSES] } },
  additionalProperties: false,
};

export class PromotionResource {
  @ApiProperty({ example: 'agt_01kahzvk3te9d8q6f0f1v3m2sx' })
  agent: string;

  @ApiProperty({ type: 'integer' })
  production_version: number;

  @ApiProperty({ type: 'integer', nullable: true, description: 'Null for the version that the agent began with.' })
  previous_version: number | null;

  @ApiProperty({
    ...EVALUATION_OF_VERSION,
    description: 'The latest evaluation of the version when it was promoted; null where there was none.',
  })
  evaluation: { id: string; status: EvaluationStatus } | null;

  @ApiProperty({ format: 'date-time' })
  promoted_at: string;

  @ApiProperty({ description: 'E-mail address.' })
  promoted_by: string;
}

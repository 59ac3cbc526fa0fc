import { ApiProperty, ApiSchema } from '@nestjs/swagger';
import type { EvaluationStatus } from '@app/agents';
import type { JsonObject } from '@app/kernel';
import { DefinitionFinding } from './definition.dto.js';
import { EVALUATION_OF_VERSION } from './promotion.dto.js';

@ApiSchema({ name: 'AgentVersion' })
export class AgentVersionResource {
  @ApiProperty({ example: 'agt_01kahzvk3te9d8q6f0f1v3m2sx' })
  agent: string;

  @ApiProperty({ type: 'integer', minimum: 1 })
  version: number;

  @ApiProperty({ format: 'date-time' })
  created_at: string;

  @ApiProperty({ description: 'E-mail address.', example: 'ada@example.com' })
  created_by: string;

  @ApiProperty({ description: "SHA-256 of the definition's canonical JSON, in hexadecimal digits." })
  definition_hash: string;

  @ApiProperty()
  is_production: boolean;

  @ApiProperty({ ...EVALUATION_OF_VERSION, description: 'The latest one.' })
  evaluation: { id: string; status: EvaluationStatus } | null;

  @ApiProperty({ type: 'object', additionalProperties: true, description: 'As JSON, without comments.' })
  definition: JsonObject;
}

@ApiSchema({ name: 'CreatedAgentVersion' })
export class CreatedAgentVersionResource extends AgentVersionResource {
  @ApiProperty({ type: [DefinitionFinding], description: 'What its author ought to know about the definition.' })
  warnings: DefinitionFinding[];
}

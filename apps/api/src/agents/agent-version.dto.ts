import { ApiProperty, ApiSchema } from '@nestjs/swagger';
import type { JsonObject } from '@app/kernel';

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

  @ApiProperty({
    type: 'object',
    nullable: true,
    properties: { id: { type: 'string' }, status: { type: 'string' } },
    additionalProperties: false,
  })
  evaluation: { id: string; status: string } | null;

  @ApiProperty({ type: 'object', additionalProperties: true, description: 'As JSON, without comments.' })
  definition: JsonObject;
}

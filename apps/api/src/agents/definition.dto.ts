import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';

export class DefinitionFinding {
  @ApiProperty({ description: 'JSON Pointer into the definition.', example: '/tools/0/operations/1/path' })
  pointer: string;

  @ApiProperty()
  detail: string;

  @ApiPropertyOptional({ type: String, example: 'Did you mean `instructions`?' })
  suggestion?: string;

  @ApiPropertyOptional({ type: 'integer', minimum: 1 })
  line?: number;

  @ApiPropertyOptional({ type: 'integer', minimum: 1 })
  column?: number;

  @ApiPropertyOptional({ type: String, description: 'The line that the place is in.', example: 'stesp: []' })
  excerpt?: string;
}

export class DefinitionValidation {
  @ApiProperty()
  valid: boolean;

  @ApiProperty({ type: [DefinitionFinding] })
  errors: DefinitionFinding[];

  @ApiProperty({ type: [DefinitionFinding] })
  warnings: DefinitionFinding[];
}

import { ASKED_AT_CREATION } from '@app/agents';
import { ApiProperty, ApiPropertyOptional, ApiSchema } from '@nestjs/swagger';

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

@ApiSchema({ name: 'DefinitionValidation' })
export class PresentedValidation {
  @ApiProperty()
  valid: boolean;

  @ApiProperty({ type: [DefinitionFinding] })
  errors: DefinitionFinding[];

  @ApiProperty({ type: [DefinitionFinding] })
  warnings: DefinitionFinding[];

  @ApiProperty({
    enum: ASKED_AT_CREATION,
    isArray: true,
    description:
      'What creation asks about and this answer leaves open: tool servers, agents that are tools, secrets, knowledge bases, groups. All of it where the text is wrong already, or where the key may not create agents.',
  })
  unchecked: (typeof ASKED_AT_CREATION)[number][];
}

import { ApiSchema } from '@nestjs/swagger';
import { ASKED_AT_CREATION, type ValidatedDefinition } from '@app/agents';
import { Flag, Nested, OneOf, Text, Whole } from '../http/fields.js';

export class DefinitionFinding {
  @Text({ description: 'JSON Pointer into the definition.', example: '/tools/0/operations/1/path' }) pointer: string;
  @Text() detail: string;
  @Text({ optional: true, example: 'Did you mean `instructions`?' }) suggestion?: string;
  @Whole({ optional: true, minimum: 1 }) line?: number;
  @Whole({ optional: true, minimum: 1 }) column?: number;
  @Text({ optional: true, description: 'The line that the place is in.', example: 'stesp: []' }) excerpt?: string;
}

@ApiSchema({ name: 'DefinitionValidation' })
export class PresentedValidation {
  @Flag() valid: boolean;
  @Nested(DefinitionFinding, { list: true }) errors: DefinitionFinding[];
  @Nested(DefinitionFinding, { list: true }) warnings: DefinitionFinding[];
  @OneOf(ASKED_AT_CREATION, {
    list: true,
    description:
      'What creation asks about and this answer leaves open: tool servers, agents that are tools, secrets, knowledge bases, groups. All of it where the text is wrong already, or where the key may not create agents.',
  })
  unchecked: (typeof ASKED_AT_CREATION)[number][];
}

/** Mistakes are the expected answer here, not a failure of the request. */
export function presentValidation({ errors, warnings, unchecked }: ValidatedDefinition): PresentedValidation {
  return { valid: errors.length === 0, errors: [...errors], warnings: [...warnings], unchecked: [...unchecked] };
}

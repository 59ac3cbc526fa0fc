import { ApiSchema } from '@nestjs/swagger';
import { ASKED_AT_CREATION, type ValidatedDefinition } from '@app/agents';
import { Flag, Nested, OneOf, Text, Whole } from '../http/fields.js';

@ApiSchema({ name: 'TextFix', description: 'A change of the definition that corrects a wrong name.' })
export class PresentedFix {
  @Whole({ minimum: 1, description: 'Line of the wrong name, from 1.', example: 4 }) line: number;
  @Whole({ minimum: 1, description: 'Column of the wrong name, from 1.', example: 1 }) column: number;
  @Text({ description: 'The wrong name.', example: 'stesp' }) replace: string;
  @Text({ description: 'The right name.', example: 'steps' }) with: string;
}

@ApiSchema({ description: 'An error or a warning about a place in a definition.' })
export class DefinitionFinding {
  @Text({ description: 'JSON Pointer to the place in the definition.', example: '/stesp' })
  pointer: string;
  @Text({ description: 'Explanation for people.', example: 'There is no key `stesp` here.' }) detail: string;
  @Text({ optional: true, description: 'Proposed correction.', example: 'Did you mean `steps`?' }) suggestion?: string;
  @Whole({ optional: true, minimum: 1, description: 'Line of the text, from 1.', example: 4 }) line?: number;
  @Whole({ optional: true, minimum: 1, description: 'Column of the text, from 1.', example: 1 }) column?: number;
  @Text({ optional: true, description: 'Text of the line.', example: 'stesp: []' }) excerpt?: string;
  @Nested(PresentedFix, { optional: true, description: 'Change that follows the suggestion.' }) fix?: PresentedFix;
}

@ApiSchema({ description: 'A fact about a place in a definition.' })
export class DefinitionNote {
  @Text({ description: 'JSON Pointer to the place.', example: '/output/required' }) pointer: string;
  @Text({ description: 'Explanation for people.', example: '`required` must contain `a`.' }) detail: string;
}

@ApiSchema({ name: 'DefinitionValidation', description: 'The findings about a definition.' })
export class PresentedValidation {
  @Flag({ description: '`true` if there are no errors.', example: true }) valid: boolean;
  @Nested(DefinitionFinding, { list: true, description: 'Errors. They prevent the creation of a version.' })
  errors: DefinitionFinding[];
  @Nested(DefinitionFinding, { list: true, description: 'Warnings. They do not prevent the creation of a version.' })
  warnings: DefinitionFinding[];
  @Nested(DefinitionNote, { list: true, description: 'Facts that need no correction.' })
  notes: DefinitionNote[];
  @OneOf(ASKED_AT_CREATION, {
    list: true,
    description:
      'Checks that are made when a version is created and that were not made for this response. `tools`: tool servers. `agents`: agents used as tools. `secrets`, `knowledge`, `groups`: names that must exist. Lists all of them if the definition has errors or the key may not create agents.',
  })
  unchecked: (typeof ASKED_AT_CREATION)[number][];
}

/** The response is a success even if the definition has errors, because these errors are the requested result. */
export function presentValidation({ errors, warnings, notes, unchecked }: ValidatedDefinition): PresentedValidation {
  const valid = errors.length === 0;
  return { valid, errors: [...errors], warnings: [...warnings], notes: [...notes], unchecked: [...unchecked] };
}

import type { ValidatedDefinition } from '@app/agents';
import type { PresentedValidation } from './definition.dto.js';

/** Mistakes are the expected answer here, not a failure of the request. */
export function presentValidation({ errors, warnings, unchecked }: ValidatedDefinition): PresentedValidation {
  return { valid: errors.length === 0, errors: [...errors], warnings: [...warnings], unchecked: [...unchecked] };
}

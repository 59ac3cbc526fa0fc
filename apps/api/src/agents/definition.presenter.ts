import type { ParsedDefinition } from '@app/agents/definition';
import type { DefinitionValidation } from './definition.dto.js';

/** Mistakes are the expected answer here, not a failure of the request. */
export function presentValidation(parsed: ParsedDefinition): DefinitionValidation {
  return parsed.ok
    ? { valid: true, errors: [], warnings: parsed.warnings }
    : { valid: false, errors: parsed.errors, warnings: [] };
}

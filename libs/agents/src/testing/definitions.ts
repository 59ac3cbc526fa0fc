import type { JsonObject } from '@app/kernel';
import type { DefinitionSource } from '../definitions/submitted-definition.js';

/** A definition without model and tools that runs in every installation. Its output is a constant greeting. */
export function aDefinition(overrides: JsonObject = {}): DefinitionSource {
  const definition = { name: 'greeter', steps: [{ id: 'result', output: { greeting: 'hello' } }], ...overrides };
  return { text: JSON.stringify(definition), format: 'json' };
}

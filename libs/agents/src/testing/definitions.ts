import type { JsonObject } from '@app/kernel';
import type { DefinitionSource } from '../definitions/submitted-definition.js';

/** A definition that every installation can run, with no model and no tool: its output is its input's greeting. */
export function aDefinition(overrides: JsonObject = {}): DefinitionSource {
  const definition = { name: 'greeter', steps: [{ id: 'result', output: { greeting: 'hello' } }], ...overrides };
  return { text: JSON.stringify(definition), format: 'json' };
}

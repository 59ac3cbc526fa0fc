import type { AgentDefinition } from './generated/schema.js';
import { RawBody } from './request.js';

/** A definition of an agent: YAML or JSON as text, which is stored as it is, or an object. */
export type Definition = string | AgentDefinition;

/** JSON is YAML, so every text is sent as YAML. */
export function definitionBody(definition: Definition): AgentDefinition | RawBody {
  return typeof definition === 'string' ? new RawBody('application/yaml', definition) : definition;
}

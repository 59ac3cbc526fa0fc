import type { AgentDefinition } from './generated/schema.js';
import { RawBody } from './request.js';

/** A definition of an agent: a string of YAML or JSON, which is stored unchanged, or an object. */
export type Definition = string | AgentDefinition;

/** Every string is sent as YAML, because JSON is valid YAML. */
export function definitionBody(definition: Definition): AgentDefinition | RawBody {
  return typeof definition === 'string' ? new RawBody('application/yaml', definition) : definition;
}

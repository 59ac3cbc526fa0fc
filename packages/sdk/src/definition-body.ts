import type { AgentDefinition } from './generated/schema.js';
import { RawBody } from './request.js';

/** Definition of an agent: YAML or JSON text, which is stored unchanged, or an object. */
export type Definition = string | AgentDefinition;

/** Returns the request body for a definition. Sends every text as YAML, because JSON is valid YAML. */
export function definitionBody(definition: Definition): AgentDefinition | RawBody {
  return typeof definition === 'string' ? new RawBody('application/yaml', definition) : definition;
}

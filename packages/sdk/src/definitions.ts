import { Definitions as Generated } from './resources.generated.js';
import type { AgentDefinition } from './generated/schema.js';
import type { Answer, JsonObject } from './operation-types.js';
import type { RequestOptions } from './options.js';
import { RawBody } from './request.js';
import type { Transport } from './transport.js';

/** Definition of an agent: YAML or JSON text, which is stored unchanged, or an object. */
export type Definition = string | AgentDefinition;

/** Sends every text as YAML, because JSON is valid YAML. */
export function definitionBody(definition: Definition): AgentDefinition | RawBody {
  return typeof definition === 'string' ? new RawBody('application/yaml', definition) : definition;
}

/** Definitions that are not stored as a version of an agent: validation, draft runs and the schema. */
export class Definitions extends Generated {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    super(transport);
    this.#transport = transport;
  }

  /**
   * Checks a definition without storing it. The result is in `valid`: the call also succeeds if the definition is
   * invalid.
   */
  validate(definition: Definition, options: RequestOptions = {}): Promise<Answer<'validateDefinition'>> {
    return this.#transport.call('POST /v1/definitions/validate', { body: definitionBody(definition) }, options);
  }

  /** Returns the JSON Schema of definitions, for validation and completion in editors. */
  async schema(options: RequestOptions = {}): Promise<JsonObject> {
    return JSON.parse(await this.#transport.text('GET /v1/schemas/agent.v1.json', '*/*', {}, options)) as JsonObject;
  }
}

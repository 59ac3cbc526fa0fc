import { Agents as Generated } from './resources.generated.js';
import { type Definition, definitionBody } from './definitions.js';
import type { Answer, Query } from './operation-types.js';
import type { RequestOptions } from './options.js';
import type { Transport } from './transport.js';

/** Agents of the workspace. Methods take the id or the name of an agent. */
export class Agents extends Generated {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    super(transport);
    this.#transport = transport;
  }

  /**
   * Creates an agent. Its version 1 goes into production. The definition is YAML text or an object. Only this response
   * contains the webhook secret. With `paused: true`, no trigger starts a run before the agent is resumed.
   */
  create(
    definition: Definition,
    { project, paused, ...options }: RequestOptions & Query<'createAgent'> = {},
  ): Promise<Answer<'createAgent'>> {
    const query = { project, paused };
    return this.#transport.call('POST* /v1/agents', { query, body: definitionBody(definition) }, options);
  }
}

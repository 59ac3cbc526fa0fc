import { Versions as Generated } from './resources.generated.js';
import { type Definition, definitionBody } from './definitions.js';
import type { Answer, Query } from './operation-types.js';
import type { RequestOptions } from './options.js';
import { agentId } from './request.js';
import type { Transport } from './transport.js';

/** Versions of agents. */
export class Versions extends Generated {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    super(transport);
    this.#transport = transport;
  }

  /**
   * Creates a version of an agent. The production version does not change. If the definition equals that of the latest
   * version, no version is created, and the latest version is returned. With `ifMatch: agent.latest_version`, the call
   * is rejected with 412 if there is a newer version.
   */
  create(
    agent: string,
    definition: Definition,
    { project, ...options }: RequestOptions & Query<'createAgentVersion'> = {},
  ): Promise<Answer<'createAgentVersion'>> {
    const parts = {
      path: { id: agentId(agent) },
      query: project === undefined ? {} : { project },
      body: definitionBody(definition),
    };
    return this.#transport.call('POST* /v1/agents/{id}/versions', parts, options);
  }

  /** Returns the definition of a version, exactly as it was submitted. */
  definition(agent: string, version: number, options: RequestOptions = {}): Promise<string> {
    const path = { id: agentId(agent), n: version };
    return this.#transport.text('GET /v1/agents/{id}/versions/{n}', 'application/yaml', { path }, options);
  }

  /** Compares a version with a definition that is not stored. */
  diff(
    agent: string,
    version: number,
    definition: Definition,
    options: RequestOptions = {},
  ): Promise<Answer<'compareDefinition'>> {
    const path = { id: agentId(agent), n: version };
    return this.#transport.call(
      'POST /v1/agents/{id}/versions/{n}/diff',
      { path, body: definitionBody(definition) },
      options,
    );
  }
}

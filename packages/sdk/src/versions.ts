import { type Definition, definitionBody } from './definitions.js';
import type { Answer, Item, Query } from './operation-types.js';
import type { ListOptions, RequestOptions } from './options.js';
import type { List } from './pages.js';
import { agentId } from './request.js';
import type { Transport } from './transport.js';

/** Versions of agents. */
export class Versions {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** Lists the versions of an agent with their definitions. */
  list(
    agent: string,
    query: Query<'listAgentVersions'> = {},
    options: ListOptions = {},
  ): List<Item<'listAgentVersions'>> {
    return this.#transport.list('listAgentVersions', { path: { id: agentId(agent) }, query }, options);
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
    return this.#transport.call('createAgentVersion', parts, options);
  }

  /** Returns a version. */
  get(agent: string, version: number, options: RequestOptions = {}): Promise<Answer<'getAgentVersion'>> {
    return this.#transport.call('getAgentVersion', { path: { id: agentId(agent), n: version } }, options);
  }

  /** Returns the definition of a version, exactly as it was submitted. */
  definition(agent: string, version: number, options: RequestOptions = {}): Promise<string> {
    const path = { id: agentId(agent), n: version };
    return this.#transport.text('getAgentVersion', 'application/yaml', { path }, options);
  }

  /** Compares two versions. Returns a JSON Patch, and the capabilities that the agent gains or loses. */
  compare(
    agent: string,
    from: number,
    to: number,
    options: RequestOptions = {},
  ): Promise<Answer<'compareAgentVersions'>> {
    return this.#transport.call('compareAgentVersions', { path: { id: agentId(agent), a: from, b: to } }, options);
  }

  /**
   * Makes a version the production version. If the promotion gate of its definition does not allow this, the call is
   * rejected with 409.
   */
  promote(agent: string, version: number, options: RequestOptions = {}): Promise<Answer<'promoteAgentVersion'>> {
    return this.#transport.call('promoteAgentVersion', { path: { id: agentId(agent), n: version } }, options);
  }

  /** Starts an evaluation of a version. */
  evaluate(agent: string, version: number, options: RequestOptions = {}): Promise<Answer<'evaluateAgentVersion'>> {
    return this.#transport.call('evaluateAgentVersion', { path: { id: agentId(agent), n: version } }, options);
  }

  /** Compares a version with a definition that is not stored. */
  diff(
    agent: string,
    version: number,
    definition: Definition,
    options: RequestOptions = {},
  ): Promise<Answer<'compareDefinition'>> {
    const path = { id: agentId(agent), n: version };
    return this.#transport.call('compareDefinition', { path, body: definitionBody(definition) }, options);
  }
}

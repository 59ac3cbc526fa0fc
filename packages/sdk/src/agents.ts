import { type Definition, definitionBody } from './definitions.js';
import type { Answer, Body, Item, Query } from './operation-types.js';
import type { ListOptions, RequestOptions } from './options.js';
import type { List } from './pages.js';
import { agentId } from './request.js';
import type { Transport } from './transport.js';

/** Agents of the workspace. Methods take the id or the name of an agent. */
export class Agents {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** Lists the agents of the workspace. Archived agents are listed only with `status: 'archived'`. */
  list(query: Query<'listAgents'> = {}, options: ListOptions = {}): List<Item<'listAgents'>> {
    return this.#transport.list('listAgents', { query }, options);
  }

  /**
   * Creates an agent. Its version 1 goes into production. The definition is YAML text or an object. Only this response
   * contains the webhook secret. With `paused: true`, no trigger starts a run before the agent is resumed.
   */
  create(
    definition: Definition,
    { project, paused, ...options }: RequestOptions & Query<'createAgent'> = {},
  ): Promise<Answer<'createAgent'>> {
    const query = { ...(project !== undefined && { project }), ...(paused !== undefined && { paused }) };
    return this.#transport.call('createAgent', { query, body: definitionBody(definition) }, options);
  }

  /** Returns an agent, even if it is archived. */
  get(agent: string, options: RequestOptions = {}): Promise<Answer<'getAgent'>> {
    return this.#transport.call('getAgent', { path: { id: agentId(agent) } }, options);
  }

  /**
   * Archives an agent permanently. Queued runs are cancelled, and running ones continue. The agent accepts no new runs.
   */
  archive(agent: string, options: RequestOptions = {}): Promise<Answer<'archiveAgent'>> {
    return this.#transport.call('archiveAgent', { path: { id: agentId(agent) } }, options);
  }

  /** Pauses an agent. Its triggers start no runs until it is resumed; {@link Runs.start} still works. */
  pause(agent: string, options: RequestOptions = {}): Promise<Answer<'pauseAgent'>> {
    return this.#transport.call('pauseAgent', { path: { id: agentId(agent) } }, options);
  }

  /** Resumes the triggers of a paused agent. */
  resume(agent: string, options: RequestOptions = {}): Promise<Answer<'resumeAgent'>> {
    return this.#transport.call('resumeAgent', { path: { id: agentId(agent) } }, options);
  }

  /** Lists the values that an agent keeps between its runs, sorted by key. */
  listState(
    agent: string,
    query: Query<'listAgentState'> = {},
    options: ListOptions = {},
  ): List<Item<'listAgentState'>> {
    return this.#transport.list('listAgentState', { path: { id: agentId(agent) }, query }, options);
  }

  /**
   * Deletes the value of the key `key` from the values that an agent keeps between its runs. Without `key`, deletes all
   * values.
   */
  deleteState(agent: string, query: Query<'deleteAgentState'> = {}, options: RequestOptions = {}): Promise<void> {
    return this.#transport.remove('deleteAgentState', { path: { id: agentId(agent) }, query }, options);
  }

  /** Replaces the webhook secret of an agent. The previous secret stays valid for `grace_seconds` seconds. */
  rotateWebhookSecret(
    agent: string,
    body: Body<'rotateAgentWebhookSecret'> = {},
    options: RequestOptions = {},
  ): Promise<Answer<'rotateAgentWebhookSecret'>> {
    return this.#transport.call('rotateAgentWebhookSecret', { path: { id: agentId(agent) }, body }, options);
  }
}

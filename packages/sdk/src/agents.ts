import { definitionBody, type Definition } from './definition-body.js';
import type { Answer, Body, Item, Query } from './operation-types.js';
import type { ListOptions, RequestOptions } from './options.js';
import type { List } from './pages.js';
import { agentId } from './names.js';
import type { Transport } from './transport.js';

/** Agents. Methods take the id of an agent or its name. */
export class Agents {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** Lists agents. */
  list(query: Query<'listAgents'> = {}, options: ListOptions = {}): List<Item<'listAgents'>> {
    return this.#transport.list('listAgents', { query }, options);
  }

  /** Creates an agent and its version 1 from a definition: YAML as text, or an object. */
  create(
    definition: Definition,
    { project, ...options }: RequestOptions & Query<'createAgent'> = {},
  ): Promise<Answer<'createAgent'>> {
    const query = project === undefined ? {} : { project };
    return this.#transport.call('createAgent', { query, body: definitionBody(definition) }, options);
  }

  /** Returns an agent. */
  get(agent: string, options: RequestOptions = {}): Promise<Answer<'getAgent'>> {
    return this.#transport.call('getAgent', { path: { id: agentId(agent) } }, options);
  }

  /** Archives an agent: queued runs are cancelled, running ones finish, and new runs are rejected. */
  archive(agent: string, options: RequestOptions = {}): Promise<Answer<'archiveAgent'>> {
    return this.#transport.call('archiveAgent', { path: { id: agentId(agent) } }, options);
  }

  /** Pauses an agent: its triggers start no runs. */
  pause(agent: string, options: RequestOptions = {}): Promise<Answer<'pauseAgent'>> {
    return this.#transport.call('pauseAgent', { path: { id: agentId(agent) } }, options);
  }

  /** Resumes a paused agent. */
  resume(agent: string, options: RequestOptions = {}): Promise<Answer<'resumeAgent'>> {
    return this.#transport.call('resumeAgent', { path: { id: agentId(agent) } }, options);
  }

  /** Lists the values that an agent keeps between its runs, by key. */
  listState(
    agent: string,
    query: Query<'listAgentState'> = {},
    options: ListOptions = {},
  ): List<Item<'listAgentState'>> {
    return this.#transport.list('listAgentState', { path: { id: agentId(agent) }, query }, options);
  }

  /** Deletes one key of the state of an agent, or all keys. */
  deleteState(agent: string, query: Query<'deleteAgentState'> = {}, options: RequestOptions = {}): Promise<void> {
    return this.#transport.remove('deleteAgentState', { path: { id: agentId(agent) }, query }, options);
  }

  /** Replaces the webhook secret. The old one stays valid for `grace_seconds`. */
  rotateWebhookSecret(
    agent: string,
    body: Body<'rotateAgentWebhookSecret'> = {},
    options: RequestOptions = {},
  ): Promise<Answer<'rotateAgentWebhookSecret'>> {
    return this.#transport.call('rotateAgentWebhookSecret', { path: { id: agentId(agent) }, body }, options);
  }
}

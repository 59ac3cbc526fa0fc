import type { Answer, Body, Item, Query } from './operation-types.js';
import type { ListOptions, RequestOptions } from './options.js';
import type { List } from './pages.js';
import { baseId } from './request.js';
import type { Transport } from './transport.js';

/** Sources of knowledge bases. A source is a configured connector. */
export class Sources {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** Lists the sources of a knowledge base with their latest syncs. */
  list(base: string, query: Query<'listSources'> = {}, options: ListOptions = {}): List<Item<'listSources'>> {
    return this.#transport.list('listSources', { path: { id: baseId(base) }, query }, options);
  }

  /** Adds a source to a knowledge base. Use {@link Sources.sync} to start its first sync. */
  create(base: string, body: Body<'createSource'>, options: RequestOptions = {}): Promise<Answer<'createSource'>> {
    return this.#transport.call('createSource', { path: { id: baseId(base) }, body }, options);
  }

  /** Returns a source with its latest sync. */
  get(base: string, source: string, options: RequestOptions = {}): Promise<Answer<'getSource'>> {
    return this.#transport.call('getSource', { path: { id: baseId(base), source_id: source } }, options);
  }

  /**
   * Changes settings of a source. Settings that the body does not contain stay the same. The connector cannot be
   * changed.
   */
  update(
    base: string,
    source: string,
    body: Body<'changeSource'>,
    options: RequestOptions = {},
  ): Promise<Answer<'changeSource'>> {
    return this.#transport.call('changeSource', { path: { id: baseId(base), source_id: source }, body }, options);
  }

  /** Deletes a source with its documents. This cannot be undone. */
  delete(base: string, source: string, options: RequestOptions = {}): Promise<void> {
    return this.#transport.remove('deleteSource', { path: { id: baseId(base), source_id: source } }, options);
  }

  /** Returns a URL that a person opens to authorise a source again. */
  authorize(base: string, source: string, options: RequestOptions = {}): Promise<Answer<'authorizeSource'>> {
    return this.#transport.call('authorizeSource', { path: { id: baseId(base), source_id: source } }, options);
  }

  /** Lists the folders, databases or repositories to which an authorised source can be restricted. */
  scopes(base: string, source: string, options: RequestOptions = {}): Promise<Answer<'listSourceScopes'>> {
    return this.#transport.call('listSourceScopes', { path: { id: baseId(base), source_id: source } }, options);
  }

  /** Starts a sync. If a sync of the source is already running, returns that sync. */
  sync(base: string, source: string, options: RequestOptions = {}): Promise<Answer<'syncSource'>> {
    return this.#transport.call('syncSource', { path: { id: baseId(base), source_id: source } }, options);
  }
}

/** Connectors. Each one reads one kind of system into a knowledge base. */
export class Connectors {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** Lists the connectors with the JSON Schemas of their configurations. */
  list(options: RequestOptions = {}): Promise<Answer<'listConnectors'>> {
    return this.#transport.call('listConnectors', {}, options);
  }
}

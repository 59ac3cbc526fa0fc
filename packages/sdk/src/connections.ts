import type { Answer, Body, Item, Query } from './operation-types.js';
import type { ListOptions, RequestOptions } from './options.js';
import type { List } from './pages.js';
import type { Transport } from './transport.js';

/**
 * Connections of the workspace. A connection is an authorisation at an OAuth provider that a person gave for tool
 * calls. No method returns its tokens.
 */
export class Connections {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** Lists the OAuth providers for which a connection can be created. */
  listProviders(options: RequestOptions = {}): Promise<Answer<'listConnectionProviders'>> {
    return this.#transport.call('listConnectionProviders', {}, options);
  }

  /** Lists the connections of the workspace. */
  list(query: Query<'listConnections'> = {}, options: ListOptions = {}): List<Item<'listConnections'>> {
    return this.#transport.list('listConnections', { query }, options);
  }

  /** Creates a connection. Tools can use it after a person has opened `authorize_url` and granted access. */
  create(body: Body<'createConnection'>, options: RequestOptions = {}): Promise<Answer<'createConnection'>> {
    return this.#transport.call('createConnection', { body }, options);
  }

  /** Returns a connection. */
  get(id: string, options: RequestOptions = {}): Promise<Answer<'getConnection'>> {
    return this.#transport.call('getConnection', { path: { id } }, options);
  }

  /** Replaces the list of agents to which a connection is granted. */
  update(
    id: string,
    body: Body<'changeConnection'>,
    options: RequestOptions = {},
  ): Promise<Answer<'changeConnection'>> {
    return this.#transport.call('changeConnection', { path: { id }, body }, options);
  }

  /** Returns a URL that a person opens to authorise a connection again. */
  authorize(id: string, options: RequestOptions = {}): Promise<Answer<'authorizeConnection'>> {
    return this.#transport.call('authorizeConnection', { path: { id } }, options);
  }

  /** Revokes the tokens of a connection at its provider, and deletes the connection. */
  delete(id: string, options: RequestOptions = {}): Promise<void> {
    return this.#transport.remove('deleteConnection', { path: { id } }, options);
  }
}

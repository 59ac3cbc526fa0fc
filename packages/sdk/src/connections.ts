import type { Answer, Body, Item, Query } from './operation-types.js';
import type { ListOptions, RequestOptions } from './options.js';
import type { List } from './pages.js';
import type { Transport } from './transport.js';

/** Authorisations that people gave for the calls of tools. Their tokens cannot be read. */
export class Connections {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** Lists the providers at which a connection can be authorised. */
  listProviders(options: RequestOptions = {}): Promise<Answer<'listConnectionProviders'>> {
    return this.#transport.call('listConnectionProviders', {}, options);
  }

  /** Lists connections. */
  list(query: Query<'listConnections'> = {}, options: ListOptions = {}): List<Item<'listConnections'>> {
    return this.#transport.list('listConnections', { query }, options);
  }

  /** Creates a connection. It works when a person has opened `authorize_url` and granted access. */
  create(body: Body<'createConnection'>, options: RequestOptions = {}): Promise<Answer<'createConnection'>> {
    return this.#transport.call('createConnection', { body }, options);
  }

  /** Returns a connection. */
  get(id: string, options: RequestOptions = {}): Promise<Answer<'getConnection'>> {
    return this.#transport.call('getConnection', { path: { id } }, options);
  }

  /** Replaces the agents that a connection is granted to. */
  update(
    id: string,
    body: Body<'changeConnection'>,
    options: RequestOptions = {},
  ): Promise<Answer<'changeConnection'>> {
    return this.#transport.call('changeConnection', { path: { id }, body }, options);
  }

  /** Returns the address at which a person authorises a connection again. */
  authorize(id: string, options: RequestOptions = {}): Promise<Answer<'authorizeConnection'>> {
    return this.#transport.call('authorizeConnection', { path: { id } }, options);
  }

  /** Revokes the tokens of a connection, and deletes it. */
  delete(id: string, options: RequestOptions = {}): Promise<void> {
    return this.#transport.remove('deleteConnection', { path: { id } }, options);
  }
}

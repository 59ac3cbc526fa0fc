import type { Answer, Body, Item, Query } from './operation-types.js';
import type { ListOptions, RequestOptions } from './options.js';
import type { List } from './pages.js';
import type { Transport } from './transport.js';

/** API keys. */
export class ApiKeys {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** Lists API keys. */
  list(query: Query<'listApiKeys'> = {}, options: ListOptions = {}): List<Item<'listApiKeys'>> {
    return this.#transport.list('listApiKeys', { query }, options);
  }

  /** Creates an API key. `key` is shown only here. */
  create(body: Body<'createApiKey'>, options: RequestOptions = {}): Promise<Answer<'createApiKey'>> {
    return this.#transport.call('createApiKey', { body }, options);
  }

  /** Returns an API key without its secret. */
  get(id: string, options: RequestOptions = {}): Promise<Answer<'getApiKey'>> {
    return this.#transport.call('getApiKey', { path: { id } }, options);
  }

  /** Replaces an API key. The old one stays valid for `grace_seconds`. */
  rotate(id: string, body: Body<'rotateApiKey'> = {}, options: RequestOptions = {}): Promise<Answer<'rotateApiKey'>> {
    return this.#transport.call('rotateApiKey', { path: { id }, body }, options);
  }

  /** Revokes an API key at once. */
  revoke(id: string, options: RequestOptions = {}): Promise<void> {
    return this.#transport.remove('revokeApiKey', { path: { id } }, options);
  }
}

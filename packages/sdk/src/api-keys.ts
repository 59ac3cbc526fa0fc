import type { Answer, Body, Item, Query } from './operation-types.js';
import type { ListOptions, RequestOptions } from './options.js';
import type { List } from './pages.js';
import type { Transport } from './transport.js';

/** API keys of the workspace. */
export class ApiKeys {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** Lists the API keys that are not revoked. */
  list(query: Query<'listApiKeys'> = {}, options: ListOptions = {}): List<Item<'listApiKeys'>> {
    return this.#transport.list('listApiKeys', { query }, options);
  }

  /** Creates an API key. Only this response contains the key itself, in `key`. */
  create(body: Body<'createApiKey'>, options: RequestOptions = {}): Promise<Answer<'createApiKey'>> {
    return this.#transport.call('createApiKey', { body }, options);
  }

  /** Returns the properties of an API key, but not the key itself. */
  get(id: string, options: RequestOptions = {}): Promise<Answer<'getApiKey'>> {
    return this.#transport.call('getApiKey', { path: { id } }, options);
  }

  /** Gives an API key a new value. The previous value stays valid for `grace_seconds` seconds. */
  rotate(id: string, body: Body<'rotateApiKey'> = {}, options: RequestOptions = {}): Promise<Answer<'rotateApiKey'>> {
    return this.#transport.call('rotateApiKey', { path: { id }, body }, options);
  }

  /** Revokes an API key immediately, including previous values that are still valid. */
  revoke(id: string, options: RequestOptions = {}): Promise<void> {
    return this.#transport.remove('revokeApiKey', { path: { id } }, options);
  }
}

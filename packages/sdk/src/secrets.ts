import type { Body, Item, Query } from './operation-types.js';
import type { ListOptions, RequestOptions } from './options.js';
import type { List } from './pages.js';
import type { Transport } from './transport.js';

/** Secrets that tools and connectors use. No method returns their values. */
export class Secrets {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** Lists the names and dates of the secrets. */
  list(query: Query<'listSecrets'> = {}, options: ListOptions = {}): List<Item<'listSecrets'>> {
    return this.#transport.list('listSecrets', { query }, options);
  }

  /** Creates a secret or replaces its value. */
  put(name: string, body: Body<'putSecret'>, options: RequestOptions = {}): Promise<void> {
    return this.#transport.call('putSecret', { path: { name }, body }, options);
  }

  /** Deletes a secret. Tool calls that use it fail with `secret_missing`. */
  delete(name: string, options: RequestOptions = {}): Promise<void> {
    return this.#transport.remove('deleteSecret', { path: { name } }, options);
  }
}

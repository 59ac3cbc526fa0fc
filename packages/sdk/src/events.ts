import type { Item, Query } from './operation-types.js';
import type { ListOptions } from './options.js';
import type { List } from './pages.js';
import type { Transport } from './transport.js';

/** Events that webhook endpoints receive. */
export class Events {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** Lists events. */
  list(query: Query<'listEvents'> = {}, options: ListOptions = {}): List<Item<'listEvents'>> {
    return this.#transport.list('listEvents', { query }, options);
  }
}

import type { Item, Query } from './operation-types.js';
import type { ListOptions } from './options.js';
import type { List } from './pages.js';
import type { Transport } from './transport.js';

/** Events of the workspace, which are also sent to webhook endpoints. */
export class Events {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** Lists events, for example to catch up on messages that an endpoint has missed. */
  list(query: Query<'listEvents'> = {}, options: ListOptions = {}): List<Item<'listEvents'>> {
    return this.#transport.list('listEvents', { query }, options);
  }
}

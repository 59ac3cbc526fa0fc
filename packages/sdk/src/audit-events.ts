import type { Item, Query } from './operation-types.js';
import type { ListOptions } from './options.js';
import type { List } from './pages.js';
import type { Transport } from './transport.js';

/** The audit log of the workspace. */
export class AuditEvents {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** Lists what people and API keys did in the workspace. */
  list(query: Query<'listAuditEvents'> = {}, options: ListOptions = {}): List<Item<'listAuditEvents'>> {
    return this.#transport.list('listAuditEvents', { query }, options);
  }
}

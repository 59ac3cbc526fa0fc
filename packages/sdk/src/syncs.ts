import type { Answer, Item, Query } from './operation-types.js';
import type { ListOptions, RequestOptions } from './options.js';
import type { List } from './pages.js';
import { baseId } from './request.js';
import type { Transport } from './transport.js';

/** Syncs of sources. A sync copies the documents of a source into the knowledge base. */
export class Syncs {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** Lists the syncs of a source. */
  list(
    base: string,
    source: string,
    query: Query<'listSyncs'> = {},
    options: ListOptions = {},
  ): List<Item<'listSyncs'>> {
    return this.#transport.list('listSyncs', { path: { id: baseId(base), source_id: source }, query }, options);
  }

  /** Returns a sync with its progress and failures. Poll it until `ended_at` is set. */
  get(base: string, source: string, sync: string, options: RequestOptions = {}): Promise<Answer<'getSync'>> {
    return this.#transport.call('getSync', { path: { id: baseId(base), source_id: source, sync_id: sync } }, options);
  }

  /** Returns a sync of a knowledge base by its id alone, without the id of its source. */
  getInBase(base: string, sync: string, options: RequestOptions = {}): Promise<Answer<'getSyncInBase'>> {
    return this.#transport.call('getSyncInBase', { path: { id: baseId(base), sync_id: sync } }, options);
  }

  /** Cancels a sync. Documents that it has already read stay in the knowledge base. */
  cancel(base: string, source: string, sync: string, options: RequestOptions = {}): Promise<Answer<'cancelSync'>> {
    return this.#transport.call(
      'cancelSync',
      { path: { id: baseId(base), source_id: source, sync_id: sync } },
      options,
    );
  }

  /** Confirms the deletions that a sync has held back, so that the service carries them out. */
  confirmDeletions(
    base: string,
    source: string,
    sync: string,
    options: RequestOptions = {},
  ): Promise<Answer<'confirmDeletions'>> {
    return this.#transport.call(
      'confirmDeletions',
      { path: { id: baseId(base), source_id: source, sync_id: sync } },
      options,
    );
  }
}

import type { Answer, Query } from './operation-types.js';
import type { RequestOptions } from './options.js';
import type { Transport } from './transport.js';

/** What has changed in the workspace. */
export class Changes {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** Returns what has changed since an earlier read; undefined if nothing has. */
  read(query: Query<'readChanges'> = {}, options: RequestOptions = {}): Promise<Answer<'readChanges'>> {
    return this.#transport.call('readChanges', { query }, options);
  }
}

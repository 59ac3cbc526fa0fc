import type { Answer, Query } from './operation-types.js';
import type { RequestOptions } from './options.js';
import type { Transport } from './transport.js';

/** Changes in the workspace. */
export class Changes {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** Returns the changes since an earlier read. Returns undefined if nothing has changed. */
  read(query: Query<'readChanges'> = {}, options: RequestOptions = {}): Promise<Answer<'readChanges'>> {
    return this.#transport.call('readChanges', { query }, options);
  }
}

import type { Answer, Query } from './operation-types.js';
import type { RequestOptions } from './options.js';
import type { Transport } from './transport.js';

/** Changes in the workspace. */
export class Changes {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /**
   * Returns the state of the workspace and the runs that changed. To read only newer changes, pass `next` of the
   * previous response as `since`. Returns undefined if nothing has changed since then.
   */
  read(query: Query<'readChanges'> = {}, options: RequestOptions = {}): Promise<Answer<'readChanges'>> {
    return this.#transport.call('readChanges', { query }, options);
  }
}

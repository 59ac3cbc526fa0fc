import type { Answer, Query } from './operation-types.js';
import type { RequestOptions } from './options.js';
import type { Transport } from './transport.js';

/** Changes of runs and approvals in the workspace, for polling. */
export class Changes {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /**
   * Returns the state of the workspace and the runs that have changed. To read only later changes, pass `next` of the
   * previous response as `since`. Returns undefined if nothing has changed since that response.
   */
  read(query: Query<'readChanges'> = {}, options: RequestOptions = {}): Promise<Answer<'readChanges'>> {
    return this.#transport.call('readChanges', { query }, options);
  }
}

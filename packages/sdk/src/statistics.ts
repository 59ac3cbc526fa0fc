import type { Answer, Query } from './operation-types.js';
import type { RequestOptions } from './options.js';
import type { Transport } from './transport.js';

/** Statistics of runs that have ended. */
export class Statistics {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /**
   * Returns the number, duration and cost of ended runs. They are grouped by UTC hour or day, and by status or agent.
   */
  runs(query: Query<'getRunStatistics'> = {}, options: RequestOptions = {}): Promise<Answer<'getRunStatistics'>> {
    return this.#transport.call('getRunStatistics', { query }, options);
  }
}

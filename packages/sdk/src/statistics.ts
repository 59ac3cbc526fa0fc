import type { Answer, Query } from './operation-types.js';
import type { RequestOptions } from './options.js';
import type { Transport } from './transport.js';

/** Statistics of runs. */
export class Statistics {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** Counts ended runs by time and by status or agent, with durations and costs. */
  runs(query: Query<'getRunStatistics'> = {}, options: RequestOptions = {}): Promise<Answer<'getRunStatistics'>> {
    return this.#transport.call('getRunStatistics', { query }, options);
  }
}

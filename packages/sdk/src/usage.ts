import type { Answer, Query } from './operation-types.js';
import type { RequestOptions } from './options.js';
import type { Transport } from './transport.js';

/** Cost and tokens of runs. */
export class UsageReports {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** Returns cost and tokens by day, agent or model. The period covers at most 366 days. */
  get(query: Query<'getUsage'> = {}, options: RequestOptions = {}): Promise<Answer<'getUsage'>> {
    return this.#transport.call('getUsage', { query }, options);
  }
}

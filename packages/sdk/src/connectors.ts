import type { Answer } from './operation-types.js';
import type { RequestOptions } from './options.js';
import type { Transport } from './transport.js';

/** Connectors. Each one reads one kind of system into a knowledge base. */
export class Connectors {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** Lists the connectors with the JSON Schemas of their configurations. */
  list(options: RequestOptions = {}): Promise<Answer<'listConnectors'>> {
    return this.#transport.call('listConnectors', {}, options);
  }
}

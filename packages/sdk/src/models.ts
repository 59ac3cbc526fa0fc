import type { Answer, Body } from './operation-types.js';
import type { RequestOptions } from './options.js';
import type { Transport } from './transport.js';

/** Models of language model providers. */
export class Models {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** Lists the models that the installation knows or that agents use, with the number of these agents. */
  list(options: RequestOptions = {}): Promise<Answer<'listModels'>> {
    return this.#transport.call('listModels', {}, options);
  }

  /** Sends small requests to a model. Resolves also if the model fails. */
  check(model: Body<'checkModel'>, options: RequestOptions = {}): Promise<Answer<'checkModel'>> {
    return this.#transport.call('checkModel', { body: model }, options);
  }
}

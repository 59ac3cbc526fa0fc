import type { JsonObject } from './json.js';
import type { Answer } from './operation-types.js';
import type { RequestOptions } from './options.js';
import type { Transport } from './transport.js';

/** Methods about the service as a whole: health, readiness, metrics and its OpenAPI document. */
export class Service {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** Returns whether the API runs. */
  health(options: RequestOptions = {}): Promise<Answer<'getHealth'>> {
    return this.#transport.call('getHealth', {}, options);
  }

  /** Returns whether the service can carry out runs. Rejects with 503 if it cannot. */
  readiness(options: RequestOptions = {}): Promise<Answer<'getReadiness'>> {
    return this.#transport.call('getReadiness', {}, options);
  }

  /** Returns the metrics in the format of Prometheus. */
  metrics(options: RequestOptions = {}): Promise<string> {
    return this.#transport.text('getMetrics', 'text/plain', {}, options);
  }

  /** Returns the OpenAPI document. */
  openapi(options: RequestOptions = {}): Promise<JsonObject> {
    return this.#transport.call('getOpenApiDocument', {}, options);
  }
}

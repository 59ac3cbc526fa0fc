import type { Answer, JsonObject } from './operation-types.js';
import type { RequestOptions } from './options.js';
import type { Transport } from './transport.js';

/** The service as a whole: health, readiness, metrics and OpenAPI document. */
export class Service {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** Checks whether the API process works. If it must be restarted, the call is rejected with 503. */
  health(options: RequestOptions = {}): Promise<Answer<'getHealth'>> {
    return this.#transport.call('getHealth', {}, options);
  }

  /** Checks whether the service can carry out runs. If it cannot, the call is rejected with 503. */
  readiness(options: RequestOptions = {}): Promise<Answer<'getReadiness'>> {
    return this.#transport.call('getReadiness', {}, options);
  }

  /** Returns the metrics of the API process in the Prometheus text format. */
  metrics(options: RequestOptions = {}): Promise<string> {
    return this.#transport.text('getMetrics', 'text/plain', {}, options);
  }

  /** Returns the OpenAPI document of the service. */
  openapi(options: RequestOptions = {}): Promise<JsonObject> {
    return this.#transport.call('getOpenApiDocument', {}, options);
  }
}

import type { Answer, Item, Query } from './operation-types.js';
import type { ListOptions, RequestOptions } from './options.js';
import type { List } from './pages.js';
import type { Transport } from './transport.js';

/** Deliveries to webhook endpoints. */
export class WebhookDeliveries {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** Lists the deliveries to an endpoint. */
  list(
    endpoint: string,
    query: Query<'listWebhookDeliveries'> = {},
    options: ListOptions = {},
  ): List<Item<'listWebhookDeliveries'>> {
    return this.#transport.list('listWebhookDeliveries', { path: { id: endpoint }, query }, options);
  }

  /** Returns a delivery. */
  get(endpoint: string, id: string, options: RequestOptions = {}): Promise<Answer<'getWebhookDelivery'>> {
    return this.#transport.call('getWebhookDelivery', { path: { id: endpoint, delivery_id: id } }, options);
  }

  /** Delivers an event again. */
  retry(endpoint: string, id: string, options: RequestOptions = {}): Promise<Answer<'retryWebhookDelivery'>> {
    return this.#transport.call('retryWebhookDelivery', { path: { id: endpoint, delivery_id: id } }, options);
  }
}

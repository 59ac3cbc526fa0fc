import type { Answer, Item, Query } from './operation-types.js';
import type { ListOptions, RequestOptions } from './options.js';
import type { List } from './pages.js';
import type { Transport } from './transport.js';

/** Deliveries of events to webhook endpoints. */
export class WebhookDeliveries {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** Lists the deliveries to an endpoint, with the results of their last attempts. */
  list(
    endpoint: string,
    query: Query<'listWebhookDeliveries'> = {},
    options: ListOptions = {},
  ): List<Item<'listWebhookDeliveries'>> {
    return this.#transport.list('listWebhookDeliveries', { path: { id: endpoint }, query }, options);
  }

  /** Returns a delivery with the result of its last attempt. */
  get(endpoint: string, id: string, options: RequestOptions = {}): Promise<Answer<'getWebhookDelivery'>> {
    return this.#transport.call('getWebhookDelivery', { path: { id: endpoint, delivery_id: id } }, options);
  }

  /** Sends the message of a delivery again, whatever the status of the delivery is. */
  retry(endpoint: string, id: string, options: RequestOptions = {}): Promise<Answer<'retryWebhookDelivery'>> {
    return this.#transport.call('retryWebhookDelivery', { path: { id: endpoint, delivery_id: id } }, options);
  }
}

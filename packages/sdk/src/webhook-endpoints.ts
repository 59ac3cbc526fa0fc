import type { Answer, Body, Item, Query } from './operation-types.js';
import type { ListOptions, RequestOptions } from './options.js';
import type { List } from './pages.js';
import type { Transport } from './transport.js';

/** Webhook endpoints. An endpoint is a URL that receives events. */
export class WebhookEndpoints {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** Lists the webhook endpoints of the workspace, without their secrets. */
  list(query: Query<'listWebhookEndpoints'> = {}, options: ListOptions = {}): List<Item<'listWebhookEndpoints'>> {
    return this.#transport.list('listWebhookEndpoints', { query }, options);
  }

  /** Creates an endpoint. Only this response contains the secret with which the service signs messages. */
  create(body: Body<'createWebhookEndpoint'>, options: RequestOptions = {}): Promise<Answer<'createWebhookEndpoint'>> {
    return this.#transport.call('createWebhookEndpoint', { body }, options);
  }

  /** Returns an endpoint without its secret. */
  get(id: string, options: RequestOptions = {}): Promise<Answer<'getWebhookEndpoint'>> {
    return this.#transport.call('getWebhookEndpoint', { path: { id } }, options);
  }

  /** Changes settings of an endpoint. Settings that the body does not contain stay the same. */
  update(
    id: string,
    body: Body<'updateWebhookEndpoint'>,
    options: RequestOptions = {},
  ): Promise<Answer<'updateWebhookEndpoint'>> {
    return this.#transport.call('updateWebhookEndpoint', { path: { id }, body }, options);
  }

  /** Deletes an endpoint and cancels its pending deliveries. */
  delete(id: string, options: RequestOptions = {}): Promise<void> {
    return this.#transport.remove('deleteWebhookEndpoint', { path: { id } }, options);
  }

  /**
   * Replaces the secret of an endpoint. For `grace_seconds` seconds, messages are also signed with the previous secret.
   */
  rotate(
    id: string,
    body: Body<'rotateWebhookSecret'> = {},
    options: RequestOptions = {},
  ): Promise<Answer<'rotateWebhookSecret'>> {
    return this.#transport.call('rotateWebhookSecret', { path: { id }, body }, options);
  }

  /** Sends the event `webhook.test` to this endpoint. */
  test(id: string, options: RequestOptions = {}): Promise<Answer<'testWebhookEndpoint'>> {
    return this.#transport.call('testWebhookEndpoint', { path: { id } }, options);
  }
}

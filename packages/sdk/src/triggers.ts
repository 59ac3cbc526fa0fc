import { Triggers as Generated } from './resources.generated.js';
import type { Answer, JsonObject } from './operation-types.js';
import type { RequestOptions } from './options.js';
import type { Transport } from './transport.js';

/** Triggers of agents. */
export class Triggers extends Generated {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    super(transport);
    this.#transport = transport;
  }

  /**
   * Calls the webhook trigger of an agent with its webhook secret. The client does not send the API key.
   *
   * @param agent id of the agent. A name is not accepted, because names are unique only within a workspace.
   */
  call(
    agent: string,
    payload: JsonObject,
    { secret, trigger, ...options }: RequestOptions & { secret: string; trigger?: string },
  ): Promise<Answer<'triggerAgent'>> {
    const headers = { 'X-Service-Webhook-Secret': secret };
    const query = trigger === undefined ? {} : { trigger };
    return this.#transport.call(
      'POST* /v1/agents/{id}/trigger',
      { path: { id: agent }, query, body: payload, headers, isAnonymous: true },
      options,
    );
  }
}

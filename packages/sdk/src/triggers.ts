import type { Answer, Item, JsonObject, Query } from './operation-types.js';
import type { ListOptions, RequestOptions } from './options.js';
import type { List } from './pages.js';
import { agentId } from './request.js';
import type { Transport } from './transport.js';

/** Triggers of agents. */
export class Triggers {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** Lists the triggers of the production version, with their health. */
  list(agent: string, options: RequestOptions = {}): Promise<Answer<'listTriggers'>> {
    return this.#transport.call('listTriggers', { path: { id: agentId(agent) } }, options);
  }

  /** Lists the events that arrived at the triggers of an agent, with their runs. */
  listEvents(
    agent: string,
    query: Query<'listTriggerEvents'> = {},
    options: ListOptions = {},
  ): List<Item<'listTriggerEvents'>> {
    return this.#transport.list('listTriggerEvents', { path: { id: agentId(agent) }, query }, options);
  }

  /** Starts a run with the input of a schedule trigger. The next scheduled time does not change. */
  run(agent: string, trigger: string, options: RequestOptions = {}): Promise<Answer<'runTriggerNow'>> {
    return this.#transport.call('runTriggerNow', { path: { id: agentId(agent), trigger_id: trigger } }, options);
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
      'triggerAgent',
      { path: { id: agent }, query, body: payload, headers, isAnonymous: true },
      options,
    );
  }
}

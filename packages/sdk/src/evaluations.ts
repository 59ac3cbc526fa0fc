import type { Answer, Item, Query } from './operation-types.js';
import type { ListOptions, RequestOptions } from './options.js';
import type { List } from './pages.js';
import { agentId } from './request.js';
import type { Transport } from './transport.js';

/** Evaluations of agent versions. */
export class Evaluations {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** Lists the evaluations of a version with their results so far. */
  list(
    agent: string,
    version: number,
    query: Query<'listVersionEvaluations'> = {},
    options: ListOptions = {},
  ): List<Item<'listVersionEvaluations'>> {
    return this.#transport.list('listVersionEvaluations', { path: { id: agentId(agent), n: version }, query }, options);
  }

  /** Returns an evaluation with its results so far. Poll it until `ended_at` is set. */
  get(id: string, options: RequestOptions = {}): Promise<Answer<'getEvaluation'>> {
    return this.#transport.call('getEvaluation', { path: { id } }, options);
  }

  /** Cancels an evaluation and its runs. */
  cancel(id: string, options: RequestOptions = {}): Promise<Answer<'cancelEvaluation'>> {
    return this.#transport.call('cancelEvaluation', { path: { id } }, options);
  }
}

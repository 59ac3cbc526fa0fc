import type { Answer, Body, Item, Query } from './operation-types.js';
import type { ListOptions, RequestOptions } from './options.js';
import type { List } from './pages.js';
import type { Transport } from './transport.js';

/** Approvals and questions that runs wait for. */
export class Approvals {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** Lists the approvals of all runs. */
  list(query: Query<'listApprovals'> = {}, options: ListOptions = {}): List<Item<'listApprovals'>> {
    return this.#transport.list('listApprovals', { query }, options);
  }

  /** Returns an approval. */
  get(id: string, options: RequestOptions = {}): Promise<Answer<'getApproval'>> {
    return this.#transport.call('getApproval', { path: { id } }, options);
  }

  /** Lists the approvals of one run. */
  listOfRun(
    run: string,
    query: Query<'listRunApprovals'> = {},
    options: ListOptions = {},
  ): List<Item<'listRunApprovals'>> {
    return this.#transport.list('listRunApprovals', { path: { id: run }, query }, options);
  }

  /** Returns an approval of a run. */
  getOfRun(run: string, id: string, options: RequestOptions = {}): Promise<Answer<'getRunApproval'>> {
    return this.#transport.call('getRunApproval', { path: { id: run, approval_id: id } }, options);
  }

  /**
   * Sends a decision. `approval` is the approval as a previous call returned it. If a person has edited its request
   * since that call, the decision is rejected with 412 `precondition_failed`. After this error, read the approval again
   * and decide about the new request. The client never retries a decision.
   */
  decide(
    approval: Pick<Item<'listApprovals'>, 'id' | 'run' | 'request_revision'>,
    body: Body<'decideRunApproval'>,
    options: RequestOptions = {},
  ): Promise<Answer<'decideRunApproval'>> {
    const { id, run, request_revision: revision } = approval;
    const path = { id: run, approval_id: id };
    return this.#transport.call('decideRunApproval', { path, body }, { ifMatch: revision, ...options });
  }
}

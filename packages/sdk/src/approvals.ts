import { Approvals as Generated } from './resources.generated.js';
import type { Answer, Body, Item } from './operation-types.js';
import type { RequestOptions } from './options.js';
import type { Transport } from './transport.js';

/** Approvals and questions that runs wait for. */
export class Approvals extends Generated {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    super(transport);
    this.#transport = transport;
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
    return this.#transport.call(
      'POST /v1/runs/{id}/approvals/{approval_id}',
      { path, body },
      { ifMatch: revision, ...options },
    );
  }
}

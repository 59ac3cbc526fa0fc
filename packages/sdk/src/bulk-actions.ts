import { BulkActions as Generated } from './resources.generated.js';
import { timeBefore } from './durations.js';
import type { Answer, Body } from './operation-types.js';
import type { RequestOptions } from './options.js';
import type { Transport } from './transport.js';

/** Bulk actions, which cancel or replay many runs. */
export class BulkActions extends Generated {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    super(transport);
    this.#transport = transport;
  }

  /**
   * Starts a bulk action, which cancels or replays many runs in the background. Replays use the mode `test` unless the
   * body contains another mode. In a filter, `since` and `until` can be durations, as in {@link Runs.list}.
   */
  create(body: Body<'createBulkAction'>, options: RequestOptions = {}): Promise<Answer<'createBulkAction'>> {
    return this.#transport.call(
      'POST* /v1/bulk-actions',
      { body: withTimes(body, this.#transport.timing.now()) },
      options,
    );
  }
}

function withTimes(body: Body<'createBulkAction'>, now: number): Body<'createBulkAction'> {
  if (body.filter === undefined) return body;
  const { since, until } = body.filter;
  return {
    ...body,
    filter: {
      ...body.filter,
      ...(since !== undefined && { since: timeBefore(since, now) }),
      ...(until !== undefined && { until: timeBefore(until, now) }),
    },
  };
}

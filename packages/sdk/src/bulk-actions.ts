import { timeBefore } from './durations.js';
import type { Answer, Body, Query } from './operation-types.js';
import type { RequestOptions } from './options.js';
import type { Transport } from './transport.js';

/** Bulk actions, which cancel or replay many runs. */
export class BulkActions {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /**
   * Starts a bulk action, which cancels or replays many runs in the background. Replays use the mode `test` unless the
   * body contains another mode. In a filter, `since` and `until` can be durations, as in {@link Runs.list}.
   */
  create(body: Body<'createBulkAction'>, options: RequestOptions = {}): Promise<Answer<'createBulkAction'>> {
    return this.#transport.call('createBulkAction', { body: withTimes(body, this.#transport.timing.now()) }, options);
  }

  /** Returns the progress of a bulk action and one page of its results. */
  get(id: string, query: Query<'getBulkAction'> = {}, options: RequestOptions = {}): Promise<Answer<'getBulkAction'>> {
    return this.#transport.call('getBulkAction', { path: { id }, query }, options);
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

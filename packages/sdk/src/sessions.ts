import type { Answer, Body, Item, Query } from './operation-types.js';
import type { ListOptions, RequestOptions } from './options.js';
import type { List } from './pages.js';
import type { Transport } from './transport.js';

/** Sessions of the caller. Each session belongs to a browser in which the caller has signed in. */
export class Sessions {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** Lists the sessions of the caller that have not ended. */
  list(query: Query<'listSessions'> = {}, options: ListOptions = {}): List<Item<'listSessions'>> {
    return this.#transport.list('listSessions', { query }, options);
  }

  /** Ends a session of the caller. */
  end(id: string, options: RequestOptions = {}): Promise<void> {
    return this.#transport.remove('endSession', { path: { id } }, options);
  }

  /** Replaces the session of the caller by a session in another workspace of which the same person is a member. */
  switch(body: Body<'switchWorkspace'>, options: RequestOptions = {}): Promise<Answer<'switchWorkspace'>> {
    return this.#transport.call('switchWorkspace', { body }, options);
  }
}

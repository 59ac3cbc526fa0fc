import type { Answer, Body, Item, Query } from './operation-types.js';
import type { ListOptions, RequestOptions } from './options.js';
import type { List } from './pages.js';
import type { Transport } from './transport.js';

export class Members {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** Lists members. */
  list(query: Query<'listMembers'> = {}, options: ListOptions = {}): List<Item<'listMembers'>> {
    return this.#transport.list('listMembers', { query }, options);
  }

  /** Adds a member. */
  create(body: Body<'createMember'>, options: RequestOptions = {}): Promise<Answer<'createMember'>> {
    return this.#transport.call('createMember', { body }, options);
  }

  /** Returns a member. */
  get(id: string, options: RequestOptions = {}): Promise<Answer<'getMember'>> {
    return this.#transport.call('getMember', { path: { id } }, options);
  }

  /** Changes the role of a member. */
  update(id: string, body: Body<'changeMember'>, options: RequestOptions = {}): Promise<Answer<'changeMember'>> {
    return this.#transport.call('changeMember', { path: { id }, body }, options);
  }

  /** Removes a member and revokes their keys. */
  delete(id: string, options: RequestOptions = {}): Promise<void> {
    return this.#transport.remove('removeMember', { path: { id } }, options);
  }

  /**
   * Invites a member. `url` is returned only once, and is also mailed if the service can send mail. The previous
   * invitation becomes invalid.
   */
  invite(id: string, options: RequestOptions = {}): Promise<Answer<'inviteMember'>> {
    return this.#transport.call('inviteMember', { path: { id } }, options);
  }
}

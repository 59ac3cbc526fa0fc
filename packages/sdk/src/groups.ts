import type { Answer, Body, Item, Query } from './operation-types.js';
import type { ListOptions, RequestOptions } from './options.js';
import type { List } from './pages.js';
import type { Transport } from './transport.js';

/** Groups of members. A group can be an approver, and can be a reader of knowledge bases. */
export class Groups {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** Lists the groups with their members. */
  list(query: Query<'listGroups'> = {}, options: ListOptions = {}): List<Item<'listGroups'>> {
    return this.#transport.list('listGroups', { query }, options);
  }

  /** Creates a group. */
  create(body: Body<'createGroup'>, options: RequestOptions = {}): Promise<Answer<'createGroup'>> {
    return this.#transport.call('createGroup', { body }, options);
  }

  /** Returns a group with its members. */
  get(name: string, options: RequestOptions = {}): Promise<Answer<'getGroup'>> {
    return this.#transport.call('getGroup', { path: { name } }, options);
  }

  /** Replaces all members of a group. */
  update(name: string, body: Body<'changeGroup'>, options: RequestOptions = {}): Promise<Answer<'changeGroup'>> {
    return this.#transport.call('changeGroup', { path: { name }, body }, options);
  }

  /** Deletes a group. */
  delete(name: string, options: RequestOptions = {}): Promise<void> {
    return this.#transport.remove('deleteGroup', { path: { name } }, options);
  }
}

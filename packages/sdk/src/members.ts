import type { Answer, Body, Item, Query } from './operation-types.js';
import type { ListOptions, RequestOptions } from './options.js';
import type { List } from './pages.js';
import type { Transport } from './transport.js';

export class Members {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** Lists the members of the workspace. */
  list(query: Query<'listMembers'> = {}, options: ListOptions = {}): List<Item<'listMembers'>> {
    return this.#transport.list('listMembers', { query }, options);
  }

  /** Adds a member by e-mail address. Use {@link Members.invite} to let the person sign in. */
  create(body: Body<'createMember'>, options: RequestOptions = {}): Promise<Answer<'createMember'>> {
    return this.#transport.call('createMember', { body }, options);
  }

  /** Returns a member. */
  get(id: string, options: RequestOptions = {}): Promise<Answer<'getMember'>> {
    return this.#transport.call('getMember', { path: { id } }, options);
  }

  /** Changes the role of a member. The new role also limits all API keys of the member. */
  update(id: string, body: Body<'changeMember'>, options: RequestOptions = {}): Promise<Answer<'changeMember'>> {
    return this.#transport.call('changeMember', { path: { id }, body }, options);
  }

  /** Removes a member from the workspace and revokes their API keys. */
  delete(id: string, options: RequestOptions = {}): Promise<void> {
    return this.#transport.remove('removeMember', { path: { id } }, options);
  }

  /**
   * Creates a link with which a member can sign in once. Only this response contains the link, in `url`. If the service
   * can send e-mail, it also sends the link to the member. An earlier invitation becomes invalid.
   */
  invite(id: string, options: RequestOptions = {}): Promise<Answer<'inviteMember'>> {
    return this.#transport.call('inviteMember', { path: { id } }, options);
  }
}

/** The caller: a member who uses an API key or a session. */
export class Me {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** Returns the member, the role, the scopes and the workspace of the caller. */
  get(options: RequestOptions = {}): Promise<Answer<'getMe'>> {
    return this.#transport.call('getMe', {}, options);
  }
}

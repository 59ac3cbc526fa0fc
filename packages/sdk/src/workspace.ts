import type { Answer, Body, Item, Query } from './operation-types.js';
import type { ListOptions, RequestOptions } from './options.js';
import type { List } from './pages.js';
import type { Transport } from './transport.js';

/** The workspace and its emergency stop. */
export class Workspace {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** Returns the workspace and whether it is stopped. */
  get(options: RequestOptions = {}): Promise<Answer<'getWorkspace'>> {
    return this.#transport.call('getWorkspace', {}, options);
  }

  /** Stops all agents of the workspace. */
  stop(body: Body<'stopWorkspace'> = {}, options: RequestOptions = {}): Promise<Answer<'stopWorkspace'>> {
    return this.#transport.call('stopWorkspace', { body }, options);
  }

  /** Resumes after an emergency stop. */
  resume(body: Body<'resumeWorkspace'> = {}, options: RequestOptions = {}): Promise<Answer<'resumeWorkspace'>> {
    return this.#transport.call('resumeWorkspace', { body }, options);
  }

  /** Lists the values that the agents of the workspace share between their runs, by key. */
  listState(query: Query<'listWorkspaceState'> = {}, options: ListOptions = {}): List<Item<'listWorkspaceState'>> {
    return this.#transport.list('listWorkspaceState', { query }, options);
  }

  /** Deletes one key of the shared state, or all keys. */
  deleteState(query: Query<'deleteWorkspaceState'> = {}, options: RequestOptions = {}): Promise<void> {
    return this.#transport.remove('deleteWorkspaceState', { query }, options);
  }
}

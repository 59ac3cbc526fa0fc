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

  /** Returns the workspace, whether it is stopped, and the tool calls that are still in progress. */
  get(options: RequestOptions = {}): Promise<Answer<'getWorkspace'>> {
    return this.#transport.call('getWorkspace', {}, options);
  }

  /** Stops all agents of the workspace. After the response, no tool call begins until the workspace is resumed. */
  stop(body: Body<'stopWorkspace'> = {}, options: RequestOptions = {}): Promise<Answer<'stopWorkspace'>> {
    return this.#transport.callUrgently('stopWorkspace', { body }, options);
  }

  /** Ends an emergency stop. Suspended runs continue after the last step that they recorded. */
  resume(body: Body<'resumeWorkspace'> = {}, options: RequestOptions = {}): Promise<Answer<'resumeWorkspace'>> {
    return this.#transport.call('resumeWorkspace', { body }, options);
  }

  /** Lists the values that the agents of the workspace share between their runs, sorted by key. */
  listState(query: Query<'listWorkspaceState'> = {}, options: ListOptions = {}): List<Item<'listWorkspaceState'>> {
    return this.#transport.list('listWorkspaceState', { query }, options);
  }

  /** Deletes the value of the key `key` from the values that the agents share. Without `key`, deletes all values. */
  deleteState(query: Query<'deleteWorkspaceState'> = {}, options: RequestOptions = {}): Promise<void> {
    return this.#transport.remove('deleteWorkspaceState', { query }, options);
  }
}

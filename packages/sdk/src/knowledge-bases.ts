import type { Answer, Body, Item, Query } from './operation-types.js';
import type { ListOptions, RequestOptions } from './options.js';
import type { List } from './pages.js';
import { baseId } from './request.js';
import type { Transport } from './transport.js';

/** Knowledge bases of the workspace. Methods take the id or the name of a knowledge base. */
export class KnowledgeBases {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** Lists the knowledge bases of the workspace. */
  list(query: Query<'listKnowledgeBases'> = {}, options: ListOptions = {}): List<Item<'listKnowledgeBases'>> {
    return this.#transport.list('listKnowledgeBases', { query }, options);
  }

  /** Creates an empty knowledge base. Add sources to fill it. */
  create(body: Body<'createKnowledgeBase'>, options: RequestOptions = {}): Promise<Answer<'createKnowledgeBase'>> {
    return this.#transport.call('createKnowledgeBase', { body }, options);
  }

  /** Returns a knowledge base with its settings, counts and the state of its index. */
  get(base: string, options: RequestOptions = {}): Promise<Answer<'getKnowledgeBase'>> {
    return this.#transport.call('getKnowledgeBase', { path: { id: baseId(base) } }, options);
  }

  /** Changes settings of a knowledge base. Settings that the body does not contain stay the same. */
  update(
    base: string,
    body: Body<'changeKnowledgeBase'>,
    options: RequestOptions = {},
  ): Promise<Answer<'changeKnowledgeBase'>> {
    return this.#transport.call('changeKnowledgeBase', { path: { id: baseId(base) }, body }, options);
  }

  /** Deletes a knowledge base with its sources and documents. This cannot be undone. */
  delete(base: string, options: RequestOptions = {}): Promise<void> {
    return this.#transport.remove('deleteKnowledgeBase', { path: { id: baseId(base) } }, options);
  }

  /** Returns the passages that match a query best. The caller need not be a reader of the knowledge base. */
  search(
    base: string,
    body: Body<'searchKnowledgeBase'>,
    options: RequestOptions = {},
  ): Promise<Answer<'searchKnowledgeBase'>> {
    return this.#transport.call('searchKnowledgeBase', { path: { id: baseId(base) }, body }, options);
  }

  /** Returns who may read a knowledge base. */
  getAccess(base: string, options: RequestOptions = {}): Promise<Answer<'getKnowledgeBaseAccess'>> {
    return this.#transport.call('getKnowledgeBaseAccess', { path: { id: baseId(base) } }, options);
  }

  /** Replaces all readers of a knowledge base. If the body lacks one of the lists, this list becomes empty. */
  replaceAccess(
    base: string,
    body: Body<'replaceKnowledgeBaseAccess'>,
    options: RequestOptions = {},
  ): Promise<Answer<'replaceKnowledgeBaseAccess'>> {
    return this.#transport.call('replaceKnowledgeBaseAccess', { path: { id: baseId(base) }, body }, options);
  }
}

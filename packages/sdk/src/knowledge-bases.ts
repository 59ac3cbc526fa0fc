import type { Answer, Body, Item, Query } from './operation-types.js';
import type { ListOptions, RequestOptions } from './options.js';
import type { List } from './pages.js';
import { baseId } from './names.js';
import type { Transport } from './transport.js';

/** Knowledge bases. Methods take the id of a knowledge base or its name. */
export class KnowledgeBases {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** Lists knowledge bases. */
  list(query: Query<'listKnowledgeBases'> = {}, options: ListOptions = {}): List<Item<'listKnowledgeBases'>> {
    return this.#transport.list('listKnowledgeBases', { query }, options);
  }

  /** Creates a knowledge base. */
  create(body: Body<'createKnowledgeBase'>, options: RequestOptions = {}): Promise<Answer<'createKnowledgeBase'>> {
    return this.#transport.call('createKnowledgeBase', { body }, options);
  }

  /** Returns a knowledge base. */
  get(base: string, options: RequestOptions = {}): Promise<Answer<'getKnowledgeBase'>> {
    return this.#transport.call('getKnowledgeBase', { path: { id: baseId(base) } }, options);
  }

  /** Changes the given fields of a knowledge base. */
  update(
    base: string,
    body: Body<'changeKnowledgeBase'>,
    options: RequestOptions = {},
  ): Promise<Answer<'changeKnowledgeBase'>> {
    return this.#transport.call('changeKnowledgeBase', { path: { id: baseId(base) }, body }, options);
  }

  /** Deletes a knowledge base and its documents. */
  delete(base: string, options: RequestOptions = {}): Promise<void> {
    return this.#transport.remove('deleteKnowledgeBase', { path: { id: baseId(base) } }, options);
  }

  /** Searches a knowledge base. */
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

  /** Replaces all grants of a knowledge base. */
  replaceAccess(
    base: string,
    body: Body<'replaceKnowledgeBaseAccess'>,
    options: RequestOptions = {},
  ): Promise<Answer<'replaceKnowledgeBaseAccess'>> {
    return this.#transport.call('replaceKnowledgeBaseAccess', { path: { id: baseId(base) }, body }, options);
  }
}

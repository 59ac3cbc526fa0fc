import type { PushTextBody } from './generated/schema.js';
import { baseId, RawBody } from './request.js';
import type { Answer, Item, Query } from './operation-types.js';
import type { ListOptions, RequestOptions } from './options.js';
import type { List } from './pages.js';
import type { Transport } from './transport.js';

/** A file to push into an `upload` source. */
export interface FileDocument {
  /** Name of the document in the source. A document with the same name is replaced. */
  name: string;
  title?: string;
  /** Media type, for example `application/pdf`. */
  type: string;
  bytes: Uint8Array<ArrayBuffer> | Blob | string;
}

/** Documents of knowledge bases. */
export class Documents {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** Lists the documents of a knowledge base, without their text. */
  list(base: string, query: Query<'listDocuments'> = {}, options: ListOptions = {}): List<Item<'listDocuments'>> {
    return this.#transport.list('listDocuments', { path: { id: baseId(base) }, query }, options);
  }

  /** Returns a document with one page of its passages. */
  get(
    base: string,
    id: string,
    query: Query<'getDocument'> = {},
    options: RequestOptions = {},
  ): Promise<Answer<'getDocument'>> {
    return this.#transport.call('getDocument', { path: { id: baseId(base), document_id: id }, query }, options);
  }

  /** Pushes documents into an `upload` source: a text, the bytes of a file, or a form with up to 100 files. */
  push(
    base: string,
    source: string,
    document: PushTextBody | FileDocument | FormData,
    options: RequestOptions = {},
  ): Promise<Answer<'pushDocument'>> {
    const path = { id: baseId(base), source_id: source };
    if (!('bytes' in document)) return this.#transport.call('pushDocument', { path, body: document }, options);
    const { name, title, type, bytes } = document;
    const query = { name, ...(title !== undefined && { title }) };
    return this.#transport.call('pushDocument', { path, query, body: new RawBody(type, bytes) }, options);
  }

  /** Removes the document `name` from an `upload` source. */
  remove(base: string, source: string, query: Query<'removeDocument'>, options: RequestOptions = {}): Promise<void> {
    return this.#transport.remove('removeDocument', { path: { id: baseId(base), source_id: source }, query }, options);
  }
}

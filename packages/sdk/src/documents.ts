import { Documents as Generated } from './resources.generated.js';
import type { PushFileBody, PushTextBody } from './generated/schema.js';
import { baseId, RawBody } from './request.js';
import type { Answer } from './operation-types.js';
import type { RequestOptions } from './options.js';
import type { Transport } from './transport.js';

export interface FileDocument {
  /** Name of the document in the source. A document with the same name is replaced. */
  name: string;
  title?: string;
  /** Media type, for example `application/pdf`. */
  type: string;
  bytes: Uint8Array<ArrayBuffer> | Blob | string;
}

/** Documents of knowledge bases. */
export class Documents extends Generated {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    super(transport);
    this.#transport = transport;
  }

  /** Pushes documents into an `upload` source: a text, a file of the workspace, the bytes of a file, or a form with up to 100 files. */
  push(
    base: string,
    source: string,
    document: PushTextBody | PushFileBody | FileDocument | FormData,
    options: RequestOptions = {},
  ): Promise<Answer<'pushDocument'>> {
    const path = { id: baseId(base), source_id: source };
    if (!('bytes' in document)) return this.#transport.call('pushDocument', { path, body: document }, options);
    const { name, title, type, bytes } = document;
    const query = { name, ...(title !== undefined && { title }) };
    return this.#transport.call('pushDocument', { path, query, body: new RawBody(type, bytes) }, options);
  }
}

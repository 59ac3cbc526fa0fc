import { Documents as Generated } from './resources.generated.js';
import type { PushFileBody, PushTextBody } from './generated/schema.js';
import { uploadBody, uploadSource } from './files.js';
import { baseId } from './request.js';
import type { FileInput, UploadProgress } from './file-input.js';
import type { Answer } from './operation-types.js';
import type { RequestOptions } from './options.js';
import type { Transport } from './transport.js';

export interface FileDocument {
  /** Name of the document in the source. A document with the same name is replaced. */
  name: string;
  title?: string;
  /** Media type, for example `application/pdf`. */
  type: string;
  /** See {@link Files.upload}. A path is only possible outside of browsers. */
  bytes: FileInput;
}

export interface PushOptions extends RequestOptions {
  /** Called while the bytes of a file are sent. */
  onProgress?: (progress: UploadProgress) => void;
}

/** Documents of knowledge bases. */
export class Documents extends Generated {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    super(transport);
    this.#transport = transport;
  }

  /** Pushes documents into an `upload` source: a text, a file of the workspace, the bytes of a file, or a form with up to 100 files. */
  async push(
    base: string,
    source: string,
    document: PushTextBody | PushFileBody | FileDocument | FormData,
    { onProgress, ...options }: PushOptions = {},
  ): Promise<Answer<'pushDocument'>> {
    const path = { id: baseId(base), source_id: source };
    if (!('bytes' in document))
      return this.#transport.call(
        'POST* /v1/knowledge-bases/{id}/sources/{source_id}/documents',
        { path, body: document },
        options,
      );
    const { name, title, type, bytes } = document;
    const body = uploadBody(await uploadSource(bytes, onProgress), type);
    return this.#transport.call(
      'POST* /v1/knowledge-bases/{id}/sources/{source_id}/documents',
      { path, query: { name, title }, body },
      { timeout: '24h', ...options },
    );
  }
}

import { Files as Generated } from './resources.generated.js';
import type { FileInput, FileSource, UploadProgress } from './file-input.js';
import type { Answer } from './operation-types.js';
import type { RequestOptions } from './options.js';
import { RawBody } from './request.js';
import type { OpenStream, Transport } from './transport.js';

export interface UploadOptions extends RequestOptions {
  /** Name of the file. Default: the name of the `File`, or the last part of the path. */
  filename?: string;
  /** Media type of the file, for example `text/csv`. The service believes it only for text. */
  type?: string;
  /** Time until the file is deleted if nothing uses it, for example `7d`. */
  expiresIn?: string;
  /** Called while the file is sent. `total` is null if the size of a stream is unknown. */
  onProgress?: (progress: UploadProgress) => void;
}

export interface DownloadOptions extends RequestOptions {
  /** True for a file that a run redacts. Needs the scope `runs:reveal`, and the audit log records it. */
  reveal?: boolean;
}

// Loaded with the first file, so that other programs in a browser do not load it.
export async function uploadSource(file: FileInput, onProgress: UploadOptions['onProgress']): Promise<FileSource> {
  const { fileSource } = await import('./file-input.js');
  return fileSource(file, onProgress);
}

export function uploadBody(source: FileSource, type: string | undefined): RawBody {
  return new RawBody(type ?? source.type ?? 'application/octet-stream', source.content, source);
}

export class Files extends Generated {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    super(transport);
    this.#transport = transport;
  }

  /**
   * Uploads a file: bytes, a `Blob`, a stream, or a file of this computer as `{ path }` (not in browsers). No part of
   * the program holds a whole stream. A stream is sent only once: after a failure, the call is not retried.
   */
  async upload(file: FileInput, options: UploadOptions = {}): Promise<Answer<'uploadFile'>> {
    const { filename, type, expiresIn, onProgress, ...request } = options;
    const source = await uploadSource(file, onProgress);
    const query = { filename: filename ?? source.name, expires_in: expiresIn };
    const body = uploadBody(source, type);
    return this.#transport.call('POST* /v1/files', { query, body }, { timeout: '24h', ...request });
  }

  /** Opens the bytes of the file as a stream. The header `Range` of the options limits them to one range. */
  download(id: string, { reveal, ...options }: DownloadOptions = {}): Promise<OpenStream> {
    return this.#transport.open('GET /v1/files/{id}/content', { path: { id }, query: { reveal } }, options, '*/*');
  }
}

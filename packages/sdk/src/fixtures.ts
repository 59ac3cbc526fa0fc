import { uploadBody, type UploadOptions, uploadSource } from './files.js';
import type { FileInput } from './file-input.js';
import type { Answer } from './operation-types.js';
import { Fixtures as Generated } from './resources.generated.js';
import type { Transport } from './transport.js';

export class Fixtures extends Generated {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    super(transport);
    this.#transport = transport;
  }

  /** Stores a file as the fixture `name`, or replaces its file. See {@link Files.upload} for the file. */
  async put(
    name: string,
    file: FileInput,
    options: Omit<UploadOptions, 'filename' | 'expiresIn'> = {},
  ): Promise<Answer<'putFixture'>> {
    const { type, onProgress, ...request } = options;
    const body = uploadBody(await uploadSource(file, onProgress), type);
    return this.#transport.call('PUT /v1/fixtures/{name}', { path: { name }, body }, { timeout: '24h', ...request });
  }
}

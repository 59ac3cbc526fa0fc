import type { Answer } from './operation-types.js';
import type { RequestOptions } from './options.js';
import type { Transport } from './transport.js';

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

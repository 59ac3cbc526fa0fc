import type { Answer, Body } from './operation-types.js';
import type { RequestOptions } from './options.js';
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
}

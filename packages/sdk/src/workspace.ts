import { Workspace as Generated } from './resources.generated.js';
import type { Answer, Body } from './operation-types.js';
import type { RequestOptions } from './options.js';
import type { Transport } from './transport.js';

/** The workspace and its emergency stop. */
export class Workspace extends Generated {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    super(transport);
    this.#transport = transport;
  }

  /** Stops all agents of the workspace. After the response, no tool call begins until the workspace is resumed. */
  stop(body: Body<'stopWorkspace'> = {}, options: RequestOptions = {}): Promise<Answer<'stopWorkspace'>> {
    return this.#transport.callUrgently('POST /v1/workspace/emergency-stop', { body }, options);
  }
}

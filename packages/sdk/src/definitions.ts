import { definitionBody, type Definition } from './definition-body.js';
import type { JsonObject } from './json.js';
import type { Answer, Body } from './operation-types.js';
import type { RequestOptions } from './options.js';
import type { Transport } from './transport.js';

/** Definitions that are not stored as a version of an agent: validation, draft runs and the schema. */
export class Definitions {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /**
   * Checks a definition without storing it. The result is in `valid`: the call also succeeds if the definition is
   * invalid.
   */
  validate(definition: Definition, options: RequestOptions = {}): Promise<Answer<'validateDefinition'>> {
    return this.#transport.call('validateDefinition', { body: definitionBody(definition) }, options);
  }

  /** Runs a definition in mode `test` without creating an agent. The run is deleted after 24 hours. */
  run(body: Body<'startDraftRun'>, options: RequestOptions = {}): Promise<Answer<'startDraftRun'>> {
    return this.#transport.call('startDraftRun', { body }, options);
  }

  /** Returns the JSON Schema of definitions, for validation and completion in editors. */
  async schema(options: RequestOptions = {}): Promise<JsonObject> {
    return JSON.parse(await this.#transport.text('getAgentSchema', '*/*', {}, options)) as JsonObject;
  }
}

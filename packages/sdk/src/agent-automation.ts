import { Agents } from './agents.js';
import { Approvals } from './approvals.js';
import { BulkActions } from './bulk-actions.js';
import { Definitions } from './definitions.js';
import { Documents } from './documents.js';
import { Files } from './files.js';
import { Fixtures } from './fixtures.js';
import type { ClientOptions, RequestOptions } from './options.js';
import { Resources } from './resources.generated.js';
import { Runs } from './runs.js';
import { Transport } from './transport.js';
import { Triggers } from './triggers.js';
import { Versions } from './versions.js';
import { Workspace } from './workspace.js';

/**
 * Client of the service. Each property of the client is a kind of resource, such as `runs`. Each method of a resource
 * calls one operation of the API; a few methods combine several operations.
 */
export class AgentAutomation extends Resources {
  readonly agents: Agents;
  readonly versions: Versions;
  readonly definitions: Definitions;
  readonly triggers: Triggers;
  readonly runs: Runs;
  readonly bulkActions: BulkActions;
  readonly approvals: Approvals;
  readonly documents: Documents;
  readonly files: Files;
  readonly fixtures: Fixtures;
  readonly workspace: Workspace;
  readonly #transport: Transport;

  /** @throws {TypeError} if the URL of the service or the API key is missing */
  constructor(options: ClientOptions = {}) {
    const transport = new Transport(options);
    super(transport);
    this.#transport = transport;
    this.agents = new Agents(transport);
    this.versions = new Versions(transport);
    this.definitions = new Definitions(transport);
    this.triggers = new Triggers(transport);
    this.runs = new Runs(transport);
    this.bulkActions = new BulkActions(transport);
    this.approvals = new Approvals(transport);
    this.documents = new Documents(transport);
    this.files = new Files(transport);
    this.fixtures = new Fixtures(transport);
    this.workspace = new Workspace(transport);
  }

  /**
   * Sends a request for which the client has no method, for example to a newer version of the service. `path` begins
   * with `/v1/`. A POST request is retried only if `idempotencyKey` is set. With `isText`, returns the response body as
   * text instead of parsing it as JSON.
   */
  request<Answered = unknown>(
    method: string,
    path: string,
    parts: { query?: Readonly<Record<string, unknown>>; body?: unknown; isText?: boolean } = {},
    options: RequestOptions = {},
  ): Promise<Answered> {
    return this.#transport.request<Answered>(method, path, parts, options);
  }
}

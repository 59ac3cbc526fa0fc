import { Agents } from './agents.js';
import { ApiKeys } from './api-keys.js';
import { Approvals } from './approvals.js';
import { AuditEvents } from './audit-events.js';
import { Auth, Sessions } from './auth.js';
import { BulkActions } from './bulk-actions.js';
import { Changes } from './changes.js';
import { Connections } from './connections.js';
import { Definitions } from './definitions.js';
import { Documents } from './documents.js';
import { Evaluations } from './evaluations.js';
import { Events } from './events.js';
import { Files } from './files.js';
import { Groups } from './groups.js';
import { KnowledgeBases } from './knowledge-bases.js';
import { Me, Members } from './members.js';
import { Models } from './models.js';
import type { ClientOptions, RequestOptions } from './options.js';
import { Runs } from './runs.js';
import { Secrets } from './secrets.js';
import { Service } from './service.js';
import { Connectors, Sources } from './sources.js';
import { Statistics } from './statistics.js';
import { Syncs } from './syncs.js';
import { Transport } from './transport.js';
import { Triggers } from './triggers.js';
import { UsageReports } from './usage.js';
import { Versions } from './versions.js';
import { WebhookDeliveries } from './webhook-deliveries.js';
import { WebhookEndpoints } from './webhook-endpoints.js';
import { Workspace } from './workspace.js';

/**
 * Client of the service. Each property of the client is a kind of resource, such as `runs`. Each method of a resource
 * calls one operation of the API; a few methods combine several operations.
 */
export class AgentAutomation {
  readonly agents: Agents;
  readonly versions: Versions;
  readonly evaluations: Evaluations;
  readonly definitions: Definitions;
  readonly triggers: Triggers;
  readonly runs: Runs;
  readonly bulkActions: BulkActions;
  readonly approvals: Approvals;
  readonly knowledgeBases: KnowledgeBases;
  readonly connectors: Connectors;
  readonly models: Models;
  readonly sources: Sources;
  readonly syncs: Syncs;
  readonly documents: Documents;
  readonly me: Me;
  readonly auth: Auth;
  readonly sessions: Sessions;
  readonly workspace: Workspace;
  readonly members: Members;
  readonly groups: Groups;
  readonly files: Files;
  readonly apiKeys: ApiKeys;
  readonly secrets: Secrets;
  readonly connections: Connections;
  readonly usage: UsageReports;
  readonly statistics: Statistics;
  readonly changes: Changes;
  readonly auditEvents: AuditEvents;
  readonly events: Events;
  readonly webhookEndpoints: WebhookEndpoints;
  readonly webhookDeliveries: WebhookDeliveries;
  readonly service: Service;
  readonly #transport: Transport;

  /** @throws {TypeError} if the URL of the service or the API key is missing */
  constructor(options: ClientOptions = {}) {
    const transport = new Transport(options);
    this.#transport = transport;
    this.agents = new Agents(transport);
    this.versions = new Versions(transport);
    this.evaluations = new Evaluations(transport);
    this.definitions = new Definitions(transport);
    this.triggers = new Triggers(transport);
    this.runs = new Runs(transport);
    this.bulkActions = new BulkActions(transport);
    this.approvals = new Approvals(transport);
    this.knowledgeBases = new KnowledgeBases(transport);
    this.connectors = new Connectors(transport);
    this.models = new Models(transport);
    this.sources = new Sources(transport);
    this.syncs = new Syncs(transport);
    this.documents = new Documents(transport);
    this.me = new Me(transport);
    this.auth = new Auth(transport);
    this.sessions = new Sessions(transport);
    this.workspace = new Workspace(transport);
    this.members = new Members(transport);
    this.groups = new Groups(transport);
    this.files = new Files(transport);
    this.apiKeys = new ApiKeys(transport);
    this.secrets = new Secrets(transport);
    this.connections = new Connections(transport);
    this.usage = new UsageReports(transport);
    this.statistics = new Statistics(transport);
    this.changes = new Changes(transport);
    this.auditEvents = new AuditEvents(transport);
    this.events = new Events(transport);
    this.webhookEndpoints = new WebhookEndpoints(transport);
    this.webhookDeliveries = new WebhookDeliveries(transport);
    this.service = new Service(transport);
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

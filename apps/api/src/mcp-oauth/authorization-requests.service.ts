import { Inject, Injectable } from '@nestjs/common';
import { AgentsService } from '@app/agents';
import { DomainError, notFound } from '@app/kernel';
import { type AddressConfig, addressConfig } from '@app/platform/startup';
import {
  agentsOf,
  mayGrant,
  McpClientsService,
  McpGrantsService,
  McpRequestStore,
  type Principal,
  type RequestReader,
} from '@app/workspace';
import { type AccessParameters, readAccessParameters } from './access-parameters.js';
import type { DecideMcpAccessBody, McpAccessRequest } from './authorization-requests.api.js';
import { AuthorizationServerService, LIFETIMES } from './authorization-server.service.js';
import { AUTHOR, type McpResource, resourceAt } from './mcp-resources.js';

const MAX_AGENTS = 1_000;

type FoundClient = NonNullable<Awaited<ReturnType<AuthorizationServerService['findClient']>>>;

interface FoundRequest {
  params: AccessParameters;
  client: FoundClient;
  resource: McpResource;
}

/** Shows people the requests of MCP clients for access, and carries out their decisions. */
@Injectable()
export class AuthorizationRequestsService {
  constructor(
    private readonly server: AuthorizationServerService,
    private readonly requests: McpRequestStore,
    private readonly clients: McpClientsService,
    private readonly grants: McpGrantsService,
    private readonly agents: AgentsService,
    @Inject(addressConfig.KEY) private readonly address: AddressConfig,
  ) {}

  /**
   * Returns a request. From the first call on, it belongs to the session of the caller.
   * @throws DomainError `not_found`, `sign_in_again` for a caller without a session
   */
  async get(principal: Principal, id: string): Promise<McpAccessRequest> {
    const { params, client } = await this.find(principal, id);
    const { workspaceId } = principal;
    const ids = agentsOf(principal);
    const { data } = await this.agents.list(workspaceId, { limit: MAX_AGENTS, order: 'asc', ...(ids && { ids }) });
    const agents = data.map(({ id: agent, name }) => ({ id: agent, name }));
    agents.sort((one, other) => (one.name < other.name ? -1 : 1));
    const host = hostOf(client);
    return {
      client: { id: client.clientId, name: client.clientName ?? host, host },
      redirect_host: new URL(params.redirectUri).host,
      resource: params.resource,
      agents,
      may_author: mayGrant(principal.role, AUTHOR.role),
    };
  }

  /**
   * Returns the address to which the browser goes. A request can be decided once.
   * @throws DomainError `not_found`, `sign_in_again`, `unknown_reference` (an agent), `insufficient_scope` (access to the
   *   address for authoring)
   */
  async decide(principal: Principal, id: string, { decision, agents: wanted }: DecideMcpAccessBody): Promise<string> {
    const reader = readerOf(principal);
    const { params, client, resource } = await this.find(principal, id);
    if (decision === 'deny') {
      await this.take(id, reader);
      return this.server.deny(params);
    }
    const agents = wanted ? await this.knownAgents(principal, wanted) : agentsOf(principal);
    this.grants.assertMayGrant(principal, resource.role);
    await this.take(id, reader);
    const access = { name: hostOf(client), role: resource.role, agents, codeSeconds: LIFETIMES.AuthorizationCode };
    const keyId = await this.grants.create(principal, access);
    return this.server.permit({ client, params, memberId: principal.memberId, keyId });
  }

  private async find(principal: Principal, id: string): Promise<FoundRequest> {
    const stored = await this.requests.claim(id, readerOf(principal));
    if (!stored) throw notFound('request', id);
    const params = readAccessParameters(stored);
    const client = await this.server.findClient(params.clientId);
    const resource = resourceAt(this.address.publicUrl, params.resource);
    const registered = await this.clients.find(params.clientId);
    // A client that an admin registered is for the members of that workspace only.
    const isForeign = registered?.workspaceId !== null && registered?.workspaceId !== principal.workspaceId;
    if (!client || !resource || (registered && isForeign)) throw notFound('request', id);
    return { params, client, resource };
  }

  private async take(id: string, reader: RequestReader): Promise<void> {
    if (!(await this.requests.take(id, reader))) throw notFound('request', id);
  }

  /** @throws DomainError `unknown_reference` */
  private async knownAgents(principal: Principal, wanted: readonly string[]): Promise<string[]> {
    const known = await this.agents.known(principal.workspaceId, wanted);
    const seen = agentsOf(principal);
    const errors = wanted.flatMap((agent, index) => {
      if (known.has(agent) && (seen === null || seen.includes(agent))) return [];
      const detail = `${JSON.stringify(agent)} is not an agent of this workspace.`;
      return [{ pointer: `/agents/${index}`, detail }];
    });
    if (errors[0]) throw new DomainError('unknown_reference', errors[0].detail, { errors });
    return [...known];
  }
}

/** @throws DomainError `sign_in_again` if the caller has proved no identity of their own */
function readerOf({ workspaceId, memberId, session }: Principal): RequestReader {
  if (!session || session.method === 'key') {
    const detail =
      'Only a person can give a client access. Sign in to the console by a link, by e-mail or by single sign-on.';
    throw new DomainError('sign_in_again', detail);
  }
  return { workspaceId, memberId, sessionId: session.id };
}

function hostOf({ clientId, redirectUris = [] }: FoundClient): string {
  return new URL(URL.canParse(clientId) ? clientId : (redirectUris[0] ?? '')).host;
}

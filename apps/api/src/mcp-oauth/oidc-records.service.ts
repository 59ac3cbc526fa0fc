import { Injectable } from '@nestjs/common';
import type { Adapter, AdapterPayload } from 'oidc-provider';
import { type JsonObject, type JsonValue, isJsonObject } from '@app/kernel';
import {
  isLoopbackUri,
  MCP_TOKEN_KINDS,
  McpClientsService,
  McpRequestStore,
  type McpTokenKind,
  McpTokenStore,
} from '@app/workspace';
import { textOf } from './access-parameters.js';
import type { OidcLibrary } from './oidc-library.js';

/** Connects the records of `oidc-provider` to the stores of the service. */
@Injectable()
export class OidcRecordsService {
  constructor(
    private readonly clients: McpClientsService,
    private readonly requests: McpRequestStore,
    private readonly tokens: McpTokenStore,
  ) {}

  /** Returns the adapter of a model. Models that this service does not use store nothing. */
  adapterOf(library: OidcLibrary, model: string): Adapter {
    const kind = MCP_TOKEN_KINDS.find((each) => each === model);
    if (kind) return { ...NOTHING, ...this.tokenAdapter(library, kind) };
    if (model === 'Interaction') {
      return {
        ...NOTHING,
        upsert: (id, { params }, seconds = 0) => this.requests.save(id, jsonOf(params), seconds),
      };
    }
    return model === 'Client' ? { ...NOTHING, find: (id) => this.findClient(id) } : NOTHING;
  }

  private async findClient(id: string): Promise<AdapterPayload | undefined> {
    const client = await this.clients.find(id);
    if (!client) return undefined;
    const { name, redirectUris } = client;
    return {
      client_id: id,
      client_name: name,
      redirect_uris: redirectUris,
      application_type: redirectUris.some(isLoopbackUri) ? 'native' : 'web',
    };
  }

  private tokenAdapter(library: OidcLibrary, kind: McpTokenKind): Partial<Adapter> {
    const { errors, Provider } = library;
    return {
      upsert: async (token, payload, lifetimeSeconds = 0) => {
        const { clientId = '', grantId } = payload;
        const keyId = kind === 'Grant' ? token : (grantId ?? '');
        const resource = typeof payload.aud === 'string' ? payload.aud : null;
        const record = { kind, token, keyId, clientId, resource, content: jsonOf(payload), lifetimeSeconds };
        if (!(await this.tokens.save(record))) throw new errors.InvalidGrant('the access has ended');
      },
      find: async (token) => {
        const found = await this.tokens.find(kind, token);
        if (!found) return undefined;
        const { content, isConsumed } = found;
        if (kind === 'Grant' && !grantsResource(content, Provider.ctx?.oidc.params?.resource)) {
          throw new errors.InvalidTarget('resource must be the address that the access was granted for');
        }
        return { ...content, ...(isConsumed && { consumed: true }) };
      },
      consume: async (token) => {
        if (await this.tokens.consume(kind, token)) return;
        // Two uses at once: only the thief or the client can be the first, so neither keeps the access.
        const found = await this.tokens.find(kind, token);
        await this.tokens.endKey(textOf(found?.content.grantId));
        throw new errors.InvalidGrant('the token was already used');
      },
      destroy: (token) => (kind === 'Grant' ? this.tokens.endKey(token) : this.tokens.delete(kind, token)),
      revokeByGrantId: (keyId) => this.tokens.endKey(keyId),
    };
  }
}

/**
 * The library would use a code or a refresh token up before it checks the resource of the request, so the check is made
 * when the library reads the grant. Outside of a request of a client, there is nothing to check.
 */
function grantsResource({ resources }: JsonObject, resource: unknown): boolean {
  return (
    typeof resource === 'string' && isJsonObject(resources ?? null) && Object.keys(resources ?? {}).includes(resource)
  );
}

function jsonOf(value: unknown): JsonObject {
  const json = JSON.parse(JSON.stringify(value)) as JsonValue;
  return isJsonObject(json) ? json : {};
}

const nothing = (): Promise<undefined> => Promise.resolve(undefined);
const NOTHING: Adapter = {
  upsert: nothing,
  find: nothing,
  findByUserCode: nothing,
  findByUid: nothing,
  consume: nothing,
  destroy: nothing,
  revokeByGrantId: nothing,
};

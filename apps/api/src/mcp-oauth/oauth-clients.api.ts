import { ApiSchema } from '@nestjs/swagger';
import type { JsonObject } from '@app/kernel';
import type { McpClientEntity } from '@app/workspace';
import { Id, Name, Text, Timestamp } from '../http/fields.js';

const MAX_URIS = 20;

@ApiSchema({ description: 'A client of the MCP server to register.' })
export class CreateOauthClientBody {
  @Name({ description: 'Display name of the client.', example: 'Assistant', maxLength: 200 }) name: string;
  @Text({
    list: true,
    minItems: 1,
    maxItems: MAX_URIS,
    longest: 2_000,
    description: 'Redirect addresses: https, or http at localhost, 127.0.0.1 or [::1], where the port may differ.',
    example: ['https://assistant.example/callback'],
  })
  redirect_uris: string[];
}

@ApiSchema({ name: 'OauthClient', description: 'A registered client of the MCP server. It has no secret.' })
export class OauthClientResource {
  @Id('mcpClient', { description: 'Id of the client.' }) client_id: string;
  @Text({ description: 'Display name of the client.', example: 'Assistant' }) name: string;
  @Text({ list: true, description: 'Redirect addresses.', example: ['https://assistant.example/callback'] })
  redirect_uris: string[];
  @Timestamp({ description: 'Time of creation.' }) created_at: string;
}

/** A registration by the client itself (RFC 7591). Other members are ignored. */
@ApiSchema({ name: 'RegisterMcpClientBody', description: 'A client that registers itself (RFC 7591).' })
export class RegisterMcpClientBody {
  @Text({
    optional: true,
    longest: 200,
    description: 'Display name of the client.',
    example: 'Assistant',
  })
  client_name?: string;
  @Text({
    list: true,
    minItems: 1,
    maxItems: MAX_URIS,
    longest: 2_000,
    description: 'Redirect addresses: https, or http on loopback.',
    example: ['http://127.0.0.1:33418/callback'],
  })
  redirect_uris: [string, ...string[]];
}

export function newClientContent({ name, redirect_uris }: CreateOauthClientBody): JsonObject {
  return { name, redirect_uris };
}

export function presentClient({ id, name, redirectUris, createdAt }: McpClientEntity): OauthClientResource {
  return { client_id: id, name, redirect_uris: redirectUris, created_at: createdAt.toISOString() };
}

/** Returns a client that registered itself (RFC 7591). */
export function presentRegistered(id: string, name: string, redirectUris: string[]): object {
  return {
    client_id: id,
    client_name: name,
    redirect_uris: redirectUris,
    token_endpoint_auth_method: 'none',
    grant_types: ['authorization_code', 'refresh_token'],
    response_types: ['code'],
  };
}

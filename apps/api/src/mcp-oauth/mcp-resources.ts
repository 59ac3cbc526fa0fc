import { DomainError } from '@app/kernel';
import { ConfigurationError } from '@app/platform/config';
import type { ApiConfig } from '@app/installation/settings';
import type { AddressConfig } from '@app/platform/startup';
import type { Role } from '@app/workspace';

/** What clients get access to: an address of the MCP server, the scope of its tokens, and their strongest role. */
export interface McpResource {
  path: string;
  scope: string;
  role: Role;
}

export const WORK: McpResource = { path: '/v1/mcp', scope: 'mcp', role: 'operator' };
export const AUTHOR: McpResource = { path: '/v1/mcp/author', scope: 'mcp:author', role: 'builder' };

/** Returns the resource with this address, or undefined. */
export function resourceAt(publicUrl: string, address: unknown): McpResource | undefined {
  return [WORK, AUTHOR].find(({ path }) => `${publicUrl}${path}` === address);
}

/** Paths of the authorization server. */
export const OAUTH_PATHS = {
  authorize: '/auth/oauth/authorize',
  token: '/auth/oauth/token',
  revoke: '/auth/oauth/revoke',
  register: '/auth/oauth/register',
} as const;

/**
 * Clients find the authorization server by the origin of its issuer, and tokens must not cross a network unencrypted.
 * @throws ConfigurationError if OAuth is on, but `PUBLIC_URL` is not https or has a path
 */
export function assertOauthAddress({ mcpOauth }: ApiConfig, { publicUrl }: AddressConfig): void {
  const { protocol, origin } = new URL(publicUrl);
  if (mcpOauth === 'off' || (protocol === 'https:' && publicUrl === origin)) return;
  throw new ConfigurationError([
    `PUBLIC_URL must be an https address without a path, because MCP_OAUTH is on; it is ${JSON.stringify(publicUrl)}.`,
  ]);
}

/** @throws DomainError `not_found` */
export function assertOauthOn({ mcpOauth, mcpServer }: ApiConfig): void {
  if (mcpOauth === 'on' && mcpServer === 'on') return;
  throw new DomainError(
    'not_found',
    'This installation offers no OAuth to MCP clients. The operator can set MCP_OAUTH=on.',
  );
}

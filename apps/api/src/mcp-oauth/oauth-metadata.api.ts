import { AUTHOR, OAUTH_PATHS, type McpResource, WORK } from './mcp-resources.js';

/** Returns the metadata of an address of the MCP server (RFC 9728). */
export function presentResource(publicUrl: string, { path, scope }: McpResource): object {
  return {
    resource: `${publicUrl}${path}`,
    authorization_servers: [publicUrl],
    bearer_methods_supported: ['header'],
    scopes_supported: [scope],
  };
}

/**
 * Returns the metadata of the authorization server (RFC 8414).
 * @param registers whether clients can register themselves
 */
export function presentServer(publicUrl: string, registers: boolean): object {
  return {
    issuer: publicUrl,
    authorization_endpoint: `${publicUrl}${OAUTH_PATHS.authorize}`,
    token_endpoint: `${publicUrl}${OAUTH_PATHS.token}`,
    revocation_endpoint: `${publicUrl}${OAUTH_PATHS.revoke}`,
    ...(registers && { registration_endpoint: `${publicUrl}${OAUTH_PATHS.register}` }),
    scopes_supported: [WORK.scope, AUTHOR.scope],
    response_types_supported: ['code'],
    response_modes_supported: ['query'],
    grant_types_supported: ['authorization_code', 'refresh_token'],
    token_endpoint_auth_methods_supported: ['none'],
    revocation_endpoint_auth_methods_supported: ['none'],
    code_challenge_methods_supported: ['S256'],
    client_id_metadata_document_supported: true,
    authorization_response_iss_parameter_supported: true,
  };
}

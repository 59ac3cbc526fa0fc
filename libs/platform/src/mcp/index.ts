/**
 * Only this folder imports the MCP SDK. HTTP requests go through the egress client. Programs are started only if the
 * operator allows them.
 */
export { McpError } from './mcp-error.js';
export { McpModule } from './mcp.module.js';
export { type McpOwner, McpServers } from './mcp-servers.js';
export type { McpAnswer } from './mcp-results.js';

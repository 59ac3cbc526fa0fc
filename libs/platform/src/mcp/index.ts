/**
 * Servers that speak the Model Context Protocol: the only place that knows its SDK. Over HTTP everything goes through the
 * egress client; programs are started only where the operator allows them.
 */
export { McpError } from './mcp-error.js';
export { McpModule } from './mcp.module.js';
export { McpServers } from './mcp-servers.js';
export type { McpAnswer } from './mcp-results.js';

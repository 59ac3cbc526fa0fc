import type { CallToolResult, Server, Tool } from '@modelcontextprotocol/server';

export interface McpCallParams {
  name: string;
  arguments?: Record<string, unknown> | undefined;
}
export function someTools(): Tool[];
export function mcpServer(
  tools: Tool[],
  onCall: (params: McpCallParams) => CallToolResult | Promise<CallToolResult>,
): Server;

import { Server } from '@modelcontextprotocol/server';

/** Returns the default tools: a read operation with the annotation `readOnlyHint`, and others without annotations. */
export function someTools() {
  const text = {
    type: 'object',
    required: ['text'],
    properties: { text: { type: 'string' } },
    additionalProperties: false,
  };
  return [
    { name: 'look_up', description: 'Looks something up.', inputSchema: text, annotations: { readOnlyHint: true } },
    { name: 'send_reply', description: 'Sends a reply.', inputSchema: text },
    { name: 'not_included', inputSchema: { type: 'object' } },
  ];
}

/** Creates an MCP server with the official SDK. It lists `tools`, and `onCall` returns the result of each tool call. */
export function mcpServer(tools, onCall) {
  const server = new Server({ name: 'test-mcp', version: '1.0.0' }, { capabilities: { tools: {} } });
  server.setRequestHandler('tools/list', () => ({ tools }));
  server.setRequestHandler('tools/call', (request) => onCall(request.params));
  return server;
}

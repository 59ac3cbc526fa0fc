import { Server } from '@modelcontextprotocol/server';

/** The default tools of the server: a read (by its annotation) and a write without annotations. */
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

/** An MCP server made with the official SDK. `tools` is read for every request; `onCall` answers the calls. */
export function mcpServer(tools, onCall) {
  const server = new Server({ name: 'test-mcp', version: '1.0.0' }, { capabilities: { tools: {} } });
  server.setRequestHandler('tools/list', () => ({ tools }));
  server.setRequestHandler('tools/call', (request) => onCall(request.params));
  return server;
}

import { Server } from '@modelcontextprotocol/server';

/** What the server offers unless a test changes it: a read by its annotation, and a write that has none. */
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

/** A real server of the official SDK. `tools` is read for every request, `onCall` answers the calls. */
export function mcpServer(tools, onCall) {
  const server = new Server({ name: 'test-mcp', version: '1.0.0' }, { capabilities: { tools: {} } });
  server.setRequestHandler('tools/list', () => ({ tools }));
  server.setRequestHandler('tools/call', (request) => onCall(request.params));
  return server;
}

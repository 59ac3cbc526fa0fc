import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from 'node:http';
import type { AddressInfo } from 'node:net';
import { NodeStreamableHTTPServerTransport } from '@modelcontextprotocol/node';
import type { CallToolResult, Tool } from '@modelcontextprotocol/server';
import { type McpCallParams, mcpServer, someTools } from './mcp-tools.mjs';

export interface ReceivedMcpCall {
  name: string;
  arguments: unknown;
}

/** An MCP server over streamable HTTP with sessions, built with the official SDK. It records every tool call. */
export class McpTestServer {
  readonly calls: ReceivedMcpCall[] = [];
  readonly headers: IncomingHttpHeaders[] = [];
  tools: Tool[] = someTools();
  answer: (params: McpCallParams, session: string) => CallToolResult | Promise<CallToolResult> = textAnswer;
  sessions = 0;
  /** If set, the server refuses every request with this response. */
  refuse: { status: number; body: string } | undefined;
  private readonly open = new Map<string, NodeStreamableHTTPServerTransport>();
  private http: Server | undefined;
  private port = 0;

  static async start(): Promise<McpTestServer> {
    const server = new McpTestServer();
    await server.listen();
    return server;
  }

  /** Number of sessions that the client has not ended with DELETE. */
  get openSessions(): number {
    return this.open.size;
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}/mcp`;
  }

  get egressEntry(): string {
    return `127.0.0.1/32:${this.port}`;
  }

  reset(): void {
    this.calls.length = 0;
    this.headers.length = 0;
    this.sessions = 0;
    this.tools = someTools();
    this.answer = textAnswer;
    this.refuse = undefined;
  }

  /**
   * Starts the HTTP server. If it was closed before, it starts on the same port again, and all earlier sessions are
   * lost.
   */
  async listen(): Promise<void> {
    this.http = createServer((request, response) => void this.receive(request, response));
    await once(this.http.listen(this.port, '127.0.0.1'), 'listening');
    this.port = (this.http.address() as AddressInfo).port;
  }

  async close(): Promise<void> {
    this.open.clear();
    const { http } = this;
    if (!http?.listening) return;
    http.close();
    http.closeAllConnections();
    await once(http, 'close');
  }

  private async receive(request: IncomingMessage, response: ServerResponse): Promise<void> {
    this.headers.push(request.headers);
    if (this.refuse) return void response.writeHead(this.refuse.status).end(this.refuse.body);
    const id = request.headers['mcp-session-id'];
    const known = typeof id === 'string' ? this.open.get(id) : undefined;
    if (id !== undefined && !known) {
      response.writeHead(404, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ jsonrpc: '2.0', id: null, error: { code: -32001, message: 'Session not found' } }));
      return;
    }
    await (known ?? (await this.newSession())).handleRequest(request, response);
    if (request.method === 'DELETE' && typeof id === 'string') this.open.delete(id);
  }

  private async newSession(): Promise<NodeStreamableHTTPServerTransport> {
    const transport: NodeStreamableHTTPServerTransport = new NodeStreamableHTTPServerTransport({
      sessionIdGenerator: () => randomUUID(),
      onsessioninitialized: (id) => {
        this.sessions += 1;
        this.open.set(id, transport);
      },
    });
    const server = mcpServer(this.tools, (params) => {
      this.calls.push({ name: params.name, arguments: params.arguments });
      return this.answer(params, transport.sessionId ?? '');
    });
    server.setRequestHandler('tools/list', () => ({ tools: this.tools }));
    await server.connect(transport);
    return transport;
  }
}

function textAnswer({ name }: McpCallParams): CallToolResult {
  return { content: [{ type: 'text', text: `did ${name}` }] };
}

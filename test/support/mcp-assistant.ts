import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import type { JsonObject } from '@app/kernel';

const MODERN = '2026-07-28';

export interface AnsweredRun {
  run: string;
  status: string;
  output: JsonObject | null;
  error: { code: string; message: string } | null;
  waiting: { for: string; until: string | null } | null;
  console_url: string | null;
}

export interface RawAnswer {
  status: number;
  result?: ReturnType<typeof JSON.parse>;
  error?: { code: number; message: string; data?: ReturnType<typeof JSON.parse> };
}

export interface RawCall {
  capabilities?: JsonObject;
  headers?: Record<string, string>;
}

/** Speaks the protocol as assistants do: with the official client, or message by message. */
export class McpAssistant {
  constructor(
    private readonly address: () => string,
    private readonly key: string,
  ) {}

  async connect(era: 'modern' | 'legacy'): Promise<Client> {
    const client = new Client(
      { name: 'tester', version: '1' },
      { versionNegotiation: { mode: era === 'legacy' ? 'legacy' : { pin: MODERN } } },
    );
    const requestInit = { headers: { authorization: `Bearer ${this.key}` } };
    await client.connect(new StreamableHTTPClientTransport(new URL(this.address()), { requestInit }));
    return client;
  }

  async send(
    method: string,
    params: JsonObject = {},
    { capabilities = {}, headers = {} }: RawCall = {},
  ): Promise<RawAnswer> {
    const _meta = {
      'io.modelcontextprotocol/protocolVersion': MODERN,
      'io.modelcontextprotocol/clientInfo': { name: 'tester', version: '1' },
      'io.modelcontextprotocol/clientCapabilities': capabilities,
    };
    const name = params.name ?? params.taskId;
    const response = await fetch(this.address(), {
      method: 'POST',
      headers: {
        authorization: `Bearer ${this.key}`,
        accept: 'application/json, text/event-stream',
        'content-type': 'application/json',
        'mcp-protocol-version': MODERN,
        'mcp-method': method,
        ...(typeof name === 'string' && { 'mcp-name': name }),
        ...headers,
      },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: { ...params, _meta } }),
    });
    const body = (await response.json()) as Omit<RawAnswer, 'status'>;
    return { status: response.status, ...body };
  }

  call(name: string, args: JsonObject = {}, options: RawCall & { more?: JsonObject } = {}): Promise<RawAnswer> {
    return this.send('tools/call', { name, arguments: args, ...options.more }, options);
  }
}

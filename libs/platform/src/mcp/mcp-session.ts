import { errorText, type JsonObject, LONGEST_TIMER_MILLIS } from '@app/kernel';
import { type EgressClient, EgressError, egressFetch } from '@app/platform/egress';
import {
  Client,
  type JsonSchemaValidator,
  ProtocolError,
  SdkError,
  SdkErrorCode,
  StreamableHTTPClientTransport,
  type Transport,
} from '@modelcontextprotocol/client';
import { GuardedTransport } from './guarded-transport.js';
import { McpError } from './mcp-error.js';
import { ANY_RESULT, type McpAnswer, type McpToolDescription, readAnswer, readTools } from './mcp-results.js';
import { StdioTransport } from './stdio-transport.js';

/** Address and credentials of an MCP server. `headers` are only used over HTTP. */
export interface McpTarget {
  readonly transport:
    | { readonly kind: 'streamable_http'; readonly url: string }
    | { readonly kind: 'stdio'; readonly command: string; readonly args: readonly string[] };
  readonly headers: Readonly<Record<string, string>>;
}

export interface McpExchange {
  readonly signal: AbortSignal;
  readonly timeoutMs: number;
}

export interface McpCall extends McpExchange {
  /** Called immediately before the call is sent. If it returns false, the call is not sent. */
  readonly onBeforeSend: () => boolean;
}

const MAX_RESPONSE_BYTES = 8 * 1024 * 1024;
const CONNECT_MILLIS = 10_000;
/** Time in milliseconds that the end of a session over HTTP may take. */
const END_MILLIS = 5_000;
const MOST_PAGES = 64;
/**
 * Maximum number of characters of an error message in the trace of a run. A server can send a message of any length.
 */
const LONGEST_MESSAGE = 1_000;

/** A connection to one MCP server. Only one caller uses it at a time. */
export class McpSession {
  private readonly client = new Client(
    { name: 'agent-automation-service', version: '1.0.0' },
    // The default validator compiles the output schemas of the server with ajv, without a limit of time or memory.
    { jsonSchemaValidator: { getValidator: anyOutput } },
  );
  private exchange: McpExchange & { onBeforeSend?: () => boolean } = { signal: AbortSignal.abort(), timeoutMs: 0 };
  private sent = false;
  private withheld = false;
  private failure: EgressError | undefined;
  private closed = false;
  private closing: Promise<void> | undefined;
  private stdio: StdioTransport | undefined;
  private http: StreamableHTTPClientTransport | undefined;

  private constructor(
    private readonly egress: EgressClient,
    private readonly target: McpTarget,
  ) {
    this.client.onclose = () => (this.closed = true);
    // Ignores errors here. An error of a call also rejects that call, and other errors do not affect the service.
    this.client.onerror = () => undefined;
  }

  /** @throws McpError */
  static async open(egress: EgressClient, target: McpTarget, exchange: McpExchange): Promise<McpSession> {
    const session = new McpSession(egress, target);
    try {
      const timeout = Math.min(CONNECT_MILLIS, exchange.timeoutMs);
      await session.during(exchange, () =>
        session.client.connect(session.transport(), { signal: exchange.signal, timeout }),
      );
    } catch (error) {
      await session.close();
      if (!(error instanceof McpError) || error.reason === 'timeout' || error.reason === 'aborted') throw error;
      throw new McpError('unreachable', error.message, { sent: false, cause: error });
    }
    return session;
  }

  get isOpen(): boolean {
    return !this.closed;
  }

  /**
   * Whether the last call was not sent because `onBeforeSend` returned false. The connection can then be used again.
   */
  get isWithheld(): boolean {
    return this.withheld;
  }

  /** @throws McpError */
  async listTools(exchange: McpExchange): Promise<McpToolDescription[]> {
    return this.during(exchange, async () => {
      if (!this.client.getServerCapabilities()?.tools) return [];
      const tools: McpToolDescription[] = [];
      let cursor: string | undefined;
      for (let pages = 0; pages < MOST_PAGES; pages++) {
        const params = cursor === undefined ? {} : { cursor };
        const page = readTools(
          await this.client.request({ method: 'tools/list', params }, ANY_RESULT, options(exchange)),
        );
        tools.push(...page.tools);
        if (page.nextCursor === undefined) return tools;
        cursor = page.nextCursor;
      }
      throw new SdkError(
        SdkErrorCode.ListPaginationExceeded,
        `The tool server lists more than ${MOST_PAGES} pages of tools.`,
      );
    });
  }

  /** @throws McpError */
  async callTool(name: string, args: JsonObject, call: McpCall): Promise<McpAnswer> {
    return this.during(call, async () => {
      if (this.target.transport.kind === 'stdio') this.beforeSend();
      const params = { name, arguments: args };
      return readAnswer(await this.client.request({ method: 'tools/call', params }, ANY_RESULT, options(call)));
    });
  }

  /**
   * Ends the session: sends DELETE if the server has named a session, or ends the program of a stdio server. Never
   * rejects.
   */
  close(): Promise<void> {
    return (this.closing ??= this.end());
  }

  private async end(): Promise<void> {
    this.closed = true;
    this.exchange = { signal: AbortSignal.timeout(END_MILLIS), timeoutMs: END_MILLIS };
    await this.http?.terminateSession().catch(() => undefined);
    await this.client.close().catch(() => undefined);
    await this.stdio?.close();
  }

  private transport(): Transport {
    const { transport, headers } = this.target;
    if (transport.kind === 'stdio') {
      this.stdio = new StdioTransport(transport, MAX_RESPONSE_BYTES);
      return new GuardedTransport(this.stdio);
    }
    const requestInit = { headers: { ...headers } };
    this.http = new StreamableHTTPClientTransport(new URL(transport.url), {
      fetch: (url, init) => this.fetch(url, init),
      requestInit,
    });
    return new GuardedTransport(this.http);
  }

  /**
   * Sends requests through the egress client. Rejects GET requests. The library would use them to open a stream for
   * unsolicited messages of the server.
   */
  private async fetch(url: string | URL, init: RequestInit | undefined): Promise<Response> {
    if (init?.method === undefined || init.method === 'GET') return new Response(null, { status: 405 });
    const isCall = typeof init.body === 'string' && isToolCall(init.body);
    const limits = {
      timeoutMs: this.exchange.timeoutMs,
      headersTimeoutMs: this.exchange.timeoutMs,
      maxResponseBytes: MAX_RESPONSE_BYTES,
      ...(isCall && { onBeforeSend: () => this.beforeSend() }),
    };
    try {
      return await egressFetch(this.egress, limits)(url, init);
    } catch (error) {
      if (error instanceof EgressError) this.failure = error;
      throw error;
    }
  }

  private beforeSend(): boolean {
    if (this.exchange.onBeforeSend?.() === false) {
      this.withheld = true;
      throw new McpError('aborted', 'The call was cancelled before it was sent.', { sent: false });
    }
    this.sent = true;
    return true;
  }

  private async during<T>(exchange: McpExchange, work: () => Promise<T>): Promise<T> {
    this.exchange = exchange;
    this.sent = false;
    this.withheld = false;
    this.failure = undefined;
    this.stdio?.restart();
    try {
      return await work();
    } catch (error) {
      throw this.asMcpError(error);
    }
  }

  private asMcpError(error: unknown): McpError {
    if (error instanceof McpError) return error;
    const { failure, sent, exchange } = this;
    const message = errorText(error).slice(0, LONGEST_MESSAGE);
    const failed = (reason: McpError['reason'], was = sent): McpError =>
      new McpError(reason, message, { sent: was, cause: error });
    if (this.stdio?.failure) return new McpError('broken', this.stdio.failure.message, { sent, cause: error });
    if (error instanceof ProtocolError) return failed('refused');
    if (exchange.signal.aborted) return failed('aborted');
    if (failure) {
      const reason =
        failure.reason === 'timeout' || failure.reason === 'aborted'
          ? failure.reason
          : failure.sent
            ? 'broken'
            : 'unreachable';
      return new McpError(reason, failure.message, { sent: sent && failure.sent, cause: failure });
    }
    if (!(error instanceof SdkError)) return failed('broken');
    return failed(error.code === SdkErrorCode.RequestTimeout ? 'timeout' : 'broken');
  }
}

/** Accepts any structured output. A run uses it as data, even if it does not match the output schema of the server. */
function anyOutput<T>(): JsonSchemaValidator<T> {
  return (data) => ({ valid: true, data: data as T, errorMessage: undefined });
}

function options({ signal, timeoutMs }: McpExchange): {
  signal: AbortSignal;
  timeout: number;
  maxTotalTimeout: number;
} {
  const timeout = Math.min(timeoutMs, LONGEST_TIMER_MILLIS);
  return { signal, timeout, maxTotalTimeout: timeout };
}

function isToolCall(body: string): boolean {
  try {
    const message = JSON.parse(body) as { method?: unknown };
    return message.method === 'tools/call';
  } catch {
    return false;
  }
}

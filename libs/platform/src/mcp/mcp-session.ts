import { errorText, type JsonObject, MAX_TIMER_MILLIS, parseExactJson } from '@app/kernel';
import { type EgressClient, EgressError, egressFetch } from '@app/platform/egress';
import {
  Client,
  ProtocolError,
  SdkError,
  SdkErrorCode,
  SdkHttpError,
  StreamableHTTPClientTransport,
  type Transport,
} from '@modelcontextprotocol/client';
import { exactAnswer } from './exact-answer.js';
import { GuardedProgram, GuardedTransport } from './guarded-transport.js';
import { McpError, type McpHttpResponse } from './mcp-error.js';
import { InvalidResult, type McpAnswer, type McpToolDescription, readAnswer, readTools } from './mcp-results.js';
import { StdioTransport } from './stdio-transport.js';

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
  readonly onBeforeSend: () => boolean;
}

const MAX_RESPONSE_BYTES = 8 * 1024 * 1024;
const CONNECT_MILLIS = 10_000;
/** Older programs may ignore it. */
const DISCOVER_MILLIS = 5_000;
const LATER_MILLIS = 1_000;
const END_SESSION_MILLIS = 5_000;
const MAX_PAGES = 64;
/** Shortest delay in milliseconds before a response is resumed, even if the server allows a shorter one. */
const RESUME_MILLIS = 100;
const MAX_MESSAGE_CHARACTERS = 1_000;

/** Only one caller uses it at a time. */
export class McpSession {
  private readonly client: Client;
  private exchange: McpExchange & { onBeforeSend?: () => boolean } = { signal: AbortSignal.abort(), timeoutMs: 0 };
  private sent = false;
  private withheld = false;
  private failure: EgressError | undefined;
  private closed = false;
  private closing: Promise<void> | undefined;
  private stdio: StdioTransport | undefined;
  private http: StreamableHTTPClientTransport | undefined;
  private guard: GuardedTransport | undefined;
  private isStreaming = false;
  private isCalling = false;
  private isOpening = true;
  private headers: Record<string, string> = {};

  private constructor(
    private readonly egress: EgressClient,
    private readonly target: McpTarget,
  ) {
    const probe = target.transport.kind === 'stdio' ? { timeoutMs: DISCOVER_MILLIS } : {};
    this.client = new Client(
      { name: 'agent-automation-service', version: '1.0.0' },
      // A result that asks for input is an error, because no person and no model can answer during a call.
      { versionNegotiation: { mode: 'auto', probe }, inputRequired: { autoFulfill: false } },
    );
    this.client.onclose = () => (this.closed = true);
    // An error of a call also rejects that call, and other errors do not affect the service.
    this.client.onerror = () => undefined;
  }

  /**
   * If the server fails when it is asked for its revisions, opens a session with an older revision.
   * @param isLegacy whether the server is known to speak only revisions before 2026-07-28, and need not be asked
   */
  static async open(
    egress: EgressClient,
    target: McpTarget,
    exchange: McpExchange,
    isLegacy = false,
  ): Promise<McpSession> {
    const session = new McpSession(egress, target);
    try {
      const timeout = Math.min(CONNECT_MILLIS, exchange.timeoutMs);
      const known = isLegacy ? { prior: { kind: 'legacy' as const } } : {};
      await session.during(exchange, () =>
        session.client.connect(session.transport(), { signal: exchange.signal, timeout, ...known }),
      );
      session.isOpening = false;
      return session;
    } catch (error) {
      await session.close();
      if (!(error instanceof McpError)) throw error;
      const { reason, message, response } = error;
      if (!isLegacy && session.isProbeFailure(error)) return McpSession.open(egress, target, exchange, true);
      if (reason === 'timeout' || reason === 'aborted') throw error;
      throw new McpError('unreachable', message, { sent: false, cause: error, response });
    }
  }

  get isLegacy(): boolean {
    return this.client.getProtocolEra() === 'legacy';
  }

  get isOpen(): boolean {
    return !this.closed;
  }

  /** A response with the status 404 then says that the session is over. */
  get isNamed(): boolean {
    return this.http?.sessionId !== undefined;
  }

  get isWithheld(): boolean {
    return this.withheld;
  }

  /** The list ends at an empty cursor, and at a cursor that the server has sent before. */
  async listTools(exchange: McpExchange): Promise<McpToolDescription[]> {
    return this.during(exchange, async () => {
      if (!this.client.getServerCapabilities()?.tools) return [];
      const tools: McpToolDescription[] = [];
      const cursors = new Set<string | undefined>();
      for (let cursor: string | undefined; !cursors.has(cursor) && cursors.size < MAX_PAGES;) {
        cursors.add(cursor);
        await this.client.request(
          { method: 'tools/list', params: cursor === undefined ? {} : { cursor } },
          options(exchange),
        );
        const page = readTools(this.guard?.takeResult(), this.isLegacy);
        tools.push(...page.tools);
        if (page.nextCursor === undefined) return tools;
        cursor = page.nextCursor;
      }
      if (cursors.size < MAX_PAGES) return tools;
      throw new InvalidResult(`it lists more than ${MAX_PAGES} pages of tools`);
    });
  }

  async callTool({ name, inputSchema }: McpToolDescription, args: JsonObject, call: McpCall): Promise<McpAnswer> {
    return this.during(call, async () => {
      this.isCalling = true;
      if (this.target.transport.kind === 'stdio') this.beforeSend();
      const toolDefinition = { name, inputSchema: { ...inputSchema, type: 'object' as const } };
      await this.client.callTool({ name, arguments: args }, { ...options(call), toolDefinition });
      return readAnswer(this.guard?.takeResult());
    });
  }

  /** Never rejects. */
  close(): Promise<void> {
    return (this.closing ??= this.end());
  }

  private async end(): Promise<void> {
    this.closed = true;
    this.exchange = { signal: AbortSignal.timeout(END_SESSION_MILLIS), timeoutMs: END_SESSION_MILLIS };
    await this.http?.terminateSession().catch(() => undefined);
    await this.client.close().catch(() => undefined);
    await this.stdio?.close();
  }

  private transport(): Transport {
    const inner = this.innerTransport();
    this.guard =
      inner === this.stdio
        ? new GuardedProgram(inner, () => true)
        : new GuardedTransport(inner, () => this.isStreaming);
    return this.guard;
  }

  private innerTransport(): Transport {
    const { transport, headers } = this.target;
    const parse = (line: string): unknown => (this.isCalling ? parseExactJson(line) : JSON.parse(line));
    if (transport.kind === 'stdio') return (this.stdio = new StdioTransport(transport, MAX_RESPONSE_BYTES, parse));
    return (this.http = new StreamableHTTPClientTransport(new URL(transport.url), {
      fetch: (url, init) => this.fetch(url, init),
      requestInit: { headers: { ...headers } },
      reconnectionScheduler: (reconnect, delay) => {
        const timer = setTimeout(reconnect, Math.min(Math.max(delay, RESUME_MILLIS), MAX_TIMER_MILLIS));
        return () => clearTimeout(timer);
      },
    }));
  }

  /**
   * Rejects GET requests that do not resume a response. The library would use them to open a stream for unsolicited
   * messages of the server.
   */
  private async fetch(url: string | URL, init: RequestInit = {}): Promise<Response> {
    const { method = 'GET', headers, body } = init;
    if (method === 'GET' && !new Headers(headers).has('last-event-id')) return new Response(null, { status: 405 });
    const isCall = typeof body === 'string' && isToolCall(body);
    const signal = this.isOpening && init.signal ? AbortSignal.any([init.signal, this.exchange.signal]) : init.signal;
    const limits = {
      // The library's limit comes first: a response that ends at the same time would count as broken.
      timeoutMs: this.exchange.timeoutMs + LATER_MILLIS,
      headersTimeoutMs: this.exchange.timeoutMs + LATER_MILLIS,
      maxResponseBytes: MAX_RESPONSE_BYTES,
      ...(isCall && { onBeforeSend: () => this.beforeSend() }),
    };
    const response = await egressFetch(this.egress, limits)(url, { ...init, signal: signal ?? null }).catch(
      (error: unknown) => {
        if (!(error instanceof EgressError)) throw error;
        // The status of a failed request decides its outcome, even if the rest of the response cannot be read.
        const { head } = error;
        if (head && head.status >= 300) return new Response(null, { status: head.status, headers: head.headers });
        this.failure = error;
        throw error;
      },
    );
    this.isStreaming = /^text\/event-stream\b/i.test(response.headers.get('content-type') ?? '');
    if (!response.ok) this.headers = Object.fromEntries(response.headers);
    return response.ok && this.isCalling ? exactAnswer(response, this.isStreaming) : response;
  }

  private beforeSend(): boolean {
    if (this.exchange.onBeforeSend?.() === false) {
      this.withheld = true;
      throw new McpError('aborted', 'The call was cancelled before it was sent.', { sent: false });
    }
    this.sent = true;
    return true;
  }

  private isProbeFailure({ cause }: McpError): boolean {
    const isOfProbe = cause instanceof SdkError && cause.code === SdkErrorCode.EraNegotiationFailed;
    return isOfProbe && this.failure === undefined;
  }

  private async during<T>(exchange: McpExchange, work: () => Promise<T>): Promise<T> {
    this.exchange = exchange;
    this.sent = false;
    this.withheld = false;
    this.isCalling = false;
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
    const message = errorText(error).slice(0, MAX_MESSAGE_CHARACTERS);
    const failed = (reason: McpError['reason'], text = message): McpError =>
      new McpError(reason, text, { sent, cause: error });
    if (this.stdio?.failure) return failed('broken', this.stdio.failure.message);
    if (error instanceof SdkHttpError) return this.answeredError(error);
    if (error instanceof InvalidResult) return failed('unusable');
    if (exchange.signal.aborted) return failed('aborted');
    if (failure)
      return new McpError(reasonOf(failure), failure.message, { sent: sent && failure.sent, cause: failure });
    if (this.guard?.isUnanswered) return failed('broken', unansweredText(this.guard.lastError));
    if (error instanceof ProtocolError) return failed('refused');
    if (asksForInput(error)) return failed('refused', ASKS_FOR_INPUT);
    return failed(error instanceof SdkError && error.code === SdkErrorCode.RequestTimeout ? 'timeout' : 'broken');
  }

  /**
   * Below 500, the server has not executed the call. With 500 and above, it may have failed during the call, or a proxy
   * may have lost its response.
   */
  private answeredError(error: SdkHttpError): McpError {
    const { status } = error;
    const given = (error.data as { text?: unknown } | undefined)?.text;
    const text = typeof given === 'string' ? given : '';
    const response: McpHttpResponse = { status, headers: this.headers, text };
    const message = `The MCP server responded with HTTP status ${status}${text && `: ${text.slice(0, MAX_MESSAGE_CHARACTERS)}`}`;
    return new McpError(status < 500 ? 'refused' : 'broken', message, { sent: this.sent, cause: error, response });
  }
}

const ASKS_FOR_INPUT =
  'The tool asks the client for input (elicitation, sampling or roots), which this service does not support.';

function asksForInput(error: unknown): boolean {
  if (!(error instanceof SdkError) || error.code !== SdkErrorCode.UnsupportedResultType) return false;
  return (error.data as { resultType?: unknown } | undefined)?.resultType === 'input_required';
}

function reasonOf({ reason, sent }: EgressError): McpError['reason'] {
  if (reason === 'timeout' || reason === 'aborted') return reason;
  return sent ? 'broken' : 'unreachable';
}

function unansweredText(cause: Error | undefined): string {
  const why = cause ? `: ${errorText(cause).slice(0, MAX_MESSAGE_CHARACTERS)}` : '.';
  return `The MCP server ended its response without a result${why}`;
}

function options({ signal, timeoutMs }: McpExchange): {
  signal: AbortSignal;
  timeout: number;
  maxTotalTimeout: number;
} {
  const timeout = Math.min(timeoutMs, MAX_TIMER_MILLIS);
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

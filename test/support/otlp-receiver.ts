import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server } from 'node:http';

import { eventually } from './eventually.js';

export interface SeenSpan {
  traceId: string;
  spanId: string;
  parentSpanId: string;
  name: string;
  /** Kind of the span: 1 internal, 2 server, 3 client, 4 producer, 5 consumer. */
  kind: number;
  service: string;
  failed: boolean;
  attributes: Readonly<Record<string, unknown>>;
}

interface Attribute {
  key: string;
  value: Record<string, unknown>;
}
interface WireSpan {
  traceId: string;
  spanId: string;
  parentSpanId?: string;
  name: string;
  kind: number;
  status?: { code?: number };
  attributes?: Attribute[];
}
interface Batch {
  resourceSpans?: { resource: { attributes: Attribute[] }; scopeSpans: { spans: WireSpan[] }[] }[];
  resourceMetrics?: { resource: { attributes: Attribute[] }; scopeMetrics: { metrics: { name: string }[] }[] }[];
}

/** An OpenTelemetry collector for OTLP/JSON over HTTP. It records everything that it receives. */
export class OtlpReceiver {
  readonly spans: SeenSpan[] = [];
  readonly metrics = new Map<string, Set<string>>();
  received = '';
  readonly headers: IncomingMessage['headers'][] = [];

  private constructor(private readonly server: Server) {
    server.on('request', (request: IncomingMessage, response) => {
      void read(request).then((text) => {
        this.take(request, text);
        response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
      });
    });
  }

  static async start(): Promise<OtlpReceiver> {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    return new OtlpReceiver(server);
  }

  get url(): string {
    const address = this.server.address();
    if (typeof address !== 'object' || address === null) throw new Error('The receiver has been closed.');
    return `http://127.0.0.1:${address.port}`;
  }

  /**
   * Waits until the trace contains a span for each entry of `names`. A name may occur several times. Returns the spans
   * of the trace, except spans of attempts that made no call or did not wait for its outcome.
   */
  trace(traceId: string, names: readonly string[]): Promise<SeenSpan[]> {
    return eventually(() => {
      const spans = this.spans.filter((span) => span.traceId === traceId && !('aas.call.outcome' in span.attributes));
      const count = (all: readonly string[], name: string) => all.filter((each) => each === name).length;
      const received = spans.map(({ name }) => name);
      const missing = names.filter((name) => count(received, name) < count(names, name));
      if (missing.length === 0) return spans;
      throw new Error(
        `Not received of ${traceId}: ${missing.join(', ')}; received: ${spans.map((s) => s.name).join(', ')}`,
      );
    });
  }

  async close(): Promise<void> {
    if (!this.server.listening) return;
    this.server.close();
    this.server.closeAllConnections();
    await once(this.server, 'close');
  }

  private take({ url, headers }: IncomingMessage, text: string): void {
    this.received += text;
    this.headers.push(headers);
    const batch = JSON.parse(text) as Batch;
    if (url === '/v1/traces') this.spans.push(...spansOf(batch));
    for (const { resource, scopeMetrics } of batch.resourceMetrics ?? []) {
      const service = String(values(resource.attributes)['service.name']);
      const names = scopeMetrics.flatMap(({ metrics }) => metrics.map(({ name }) => name));
      this.metrics.set(service, new Set([...(this.metrics.get(service) ?? []), ...names]));
    }
  }
}

async function read(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString('utf8');
}

function spansOf({ resourceSpans = [] }: Batch): SeenSpan[] {
  return resourceSpans.flatMap(({ resource, scopeSpans }) =>
    scopeSpans.flatMap(({ spans }) =>
      spans.map(({ traceId, spanId, parentSpanId = '', name, kind, status, attributes = [] }) => ({
        ...{ traceId, spanId, parentSpanId, name, kind },
        service: String(values(resource.attributes)['service.name']),
        failed: status?.code === 2,
        attributes: values(attributes),
      })),
    ),
  );
}

function values(attributes: readonly Attribute[]): Record<string, unknown> {
  return Object.fromEntries(attributes.map(({ key, value }) => [key, plain(value)]));
}

function plain(value: Record<string, unknown>): unknown {
  const [[kind, content] = ['', undefined]] = Object.entries(value);
  if (kind === 'intValue') return Number(content);
  if (kind !== 'arrayValue') return content;
  return (content as { values: Record<string, unknown>[] }).values.map(plain);
}

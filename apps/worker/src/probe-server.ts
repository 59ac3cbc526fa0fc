import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Metrics } from '@app/platform/observability';

export interface ProbeSettings {
  port: number;
  host: string;
  isAlive: () => boolean;
  metrics: Metrics;
}

/** Serves `GET /healthz` and `GET /metrics`. `/healthz` returns 200 while the worker has its lease, otherwise 503. */
export class ProbeServer {
  private constructor(private readonly server: Server) {}

  /** @throws Error if the port is in use */
  static async start({ port, host, isAlive, metrics }: ProbeSettings): Promise<ProbeServer> {
    const server = createServer({ requestTimeout: 5_000, headersTimeout: 5_000 }, (request, response) => {
      void answer(request, response, isAlive, metrics).catch(() => response.destroy());
    });
    await new Promise<void>((resolve, reject) => server.once('error', reject).listen(port, host, resolve));
    return new ProbeServer(server);
  }

  async stop(): Promise<void> {
    const closed = new Promise((resolve) => this.server.close(resolve));
    this.server.closeAllConnections();
    await closed;
  }
}

async function answer(
  { method, url }: IncomingMessage,
  response: ServerResponse,
  isAlive: () => boolean,
  metrics: Metrics,
): Promise<void> {
  if (method !== 'GET') response.writeHead(405).end();
  else if (url === '/healthz') {
    const alive = isAlive();
    response.writeHead(alive ? 200 : 503, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ status: alive ? 'ok' : 'lease_lost' }));
  } else if (url === '/metrics') {
    const { contentType, text } = await metrics.render();
    response.writeHead(200, { 'content-type': contentType }).end(text);
  } else response.writeHead(404).end();
}

import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Metrics } from '@app/platform/observability';

export interface ProbeSettings {
  port: number;
  host: string;
  isAlive: () => boolean;
  /** Why the worker claims no run yet. Undefined if it does. */
  filesProblem: () => string | undefined;
  metrics: Metrics;
}

/**
 * Serves `GET /healthz`, `GET /readyz` and `GET /metrics`. `/healthz` returns 200 while the worker has its lease or waits
 * for the storage of files, otherwise 503. `/readyz` returns 503 while it waits.
 */
export class ProbeServer {
  private constructor(private readonly server: Server) {}

  /** @throws Error if the port is in use */
  static async start(settings: ProbeSettings): Promise<ProbeServer> {
    const { port, host } = settings;
    const server = createServer({ requestTimeout: 5_000, headersTimeout: 5_000 }, (request, response) => {
      void answer(request, response, settings).catch(() => response.destroy());
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
  { isAlive, filesProblem, metrics }: ProbeSettings,
): Promise<void> {
  const json = (status: number, body: unknown): void => {
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  };
  if (method !== 'GET') response.writeHead(405).end();
  else if (url === '/healthz') {
    const alive = isAlive();
    json(alive ? 200 : 503, { status: alive ? 'ok' : 'lease_lost' });
  } else if (url === '/readyz') {
    const problem = filesProblem();
    if (problem !== undefined) json(503, { status: 'waiting', missing: [{ part: 'files', problem }] });
    else json(isAlive() ? 200 : 503, { status: isAlive() ? 'ok' : 'lease_lost' });
  } else if (url === '/metrics') {
    const { contentType, text } = await metrics.render();
    response.writeHead(200, { 'content-type': contentType }).end(text);
  } else response.writeHead(404).end();
}

import { createServer, type Server, type ServerResponse } from 'node:http';

const RETRY_SECONDS = 2;

export class WaitingServer {
  private constructor(private readonly server: Server) {}

  /** @throws Error if the port is in use */
  static async open(host: string, port: number, cause: () => string): Promise<WaitingServer> {
    const server = createServer({ requestTimeout: 5_000, headersTimeout: 5_000 }, ({ method, url }, response) => {
      if (method === 'GET' && url === '/healthz')
        answer(response, 200, 'application/json', { status: 'ok', stop_port: null });
      else answer(response, 503, 'application/problem+json', problem(cause()));
    });
    await new Promise<void>((resolve, reject) => server.once('error', reject).listen(port, host, resolve));
    return new WaitingServer(server);
  }

  async close(): Promise<void> {
    const closed = new Promise((resolve) => this.server.close(resolve));
    this.server.closeAllConnections();
    await closed;
  }
}

function problem(detail: string): object {
  return {
    type: 'urn:agent-automation-service:problem:unavailable',
    title: 'Temporarily unavailable',
    status: 503,
    detail,
    code: 'unavailable',
    missing: [{ part: 'database', problem: detail }],
  };
}

function answer(response: ServerResponse, status: number, type: string, body: object): void {
  response.writeHead(status, { 'Content-Type': type, ...(status === 503 && { 'Retry-After': RETRY_SECONDS }) });
  response.end(JSON.stringify(body));
}

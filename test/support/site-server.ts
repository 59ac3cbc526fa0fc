import { createHash } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface ServedPage {
  body: string | Buffer;
  type?: string;
}

type Route = ServedPage | ((request: IncomingMessage, response: ServerResponse) => void);

export interface SeenRequest {
  path: string;
  status: number;
}

/** A web site on the loopback address. It supports ETags and records the requests that it receives. */
export class SiteServer {
  readonly seen: SeenRequest[] = [];
  /** Delay before each response, in milliseconds. */
  slownessMillis = 0;
  private readonly routes = new Map<string, Route>();

  private constructor(private readonly server: Server) {}

  static async start(): Promise<SiteServer> {
    const server = createServer();
    const site = new SiteServer(server);
    server.on('request', (request: IncomingMessage, response: ServerResponse) => {
      if (site.slownessMillis === 0) site.answer(request, response);
      else setTimeout(() => site.answer(request, response), site.slownessMillis);
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return site;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  set(path: string, route: Route): void {
    this.routes.set(path, route);
  }

  remove(path: string): void {
    this.routes.delete(path);
  }

  clear(): void {
    this.routes.clear();
    this.clearRequests();
  }

  clearRequests(): void {
    this.seen.length = 0;
  }

  answered(status: number): string[] {
    return this.seen.filter((request) => request.status === status).map(({ path }) => path);
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }

  private answer(request: IncomingMessage, response: ServerResponse): void {
    const path = request.url ?? '/';
    response.on('finish', () => this.seen.push({ path, status: response.statusCode }));
    const route = this.routes.get(path);
    if (typeof route === 'function') return route(request, response);
    if (!route) return void response.writeHead(404, { 'content-type': 'text/html' }).end('<h1>Not here</h1>');
    const etag = `"${createHash('sha256').update(route.body).digest('hex').slice(0, 16)}"`;
    if (request.headers['if-none-match'] === etag) return void response.writeHead(304, { etag }).end();
    response.writeHead(200, { 'content-type': route.type ?? 'text/html; charset=utf-8', etag }).end(route.body);
  }
}

export function aPage(title: string, text: string, links: readonly string[] = []): ServedPage {
  const navigation = links.map((link) => `<a href="${link}">${link}</a>`).join(' ');
  const body = `<!doctype html><html><head><title>${title}</title></head><body><nav>${navigation}</nav>
    <main><h1>${title}</h1><p>${text}</p></main><footer>All rights reserved</footer></body></html>`;
  return { body };
}

export function redirect(to: string): Route {
  return (_, response) => void response.writeHead(302, { location: to }).end();
}

export function aPdf(...pages: readonly string[]): ServedPage {
  const first = 4;
  const kids = pages.map((_, index) => `${first + 2 * index} 0 R`).join(' ');
  const objects = [
    '<< /Type /Catalog /Pages 2 0 R >>',
    `<< /Type /Pages /Kids [${kids}] /Count ${pages.length} >>`,
    '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>',
    ...pages.flatMap((text, index) => {
      const stream = `BT /F1 24 Tf 72 700 Td (${text.replace(/[()\\]/g, '\\$&')}) Tj ET`;
      return [
        `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents ${first + 2 * index + 1} 0 R /Resources << /Font << /F1 3 0 R >> >> >>`,
        `<< /Length ${stream.length} >>\nstream\n${stream}\nendstream`,
      ];
    }),
  ];
  let body = '%PDF-1.4\n';
  const offsets = objects.map((object, index) => {
    const offset = body.length;
    body += `${index + 1} 0 obj\n${object}\nendobj\n`;
    return offset;
  });
  const xref = body.length;
  const entries = offsets.map((offset) => `${String(offset).padStart(10, '0')} 00000 n \n`).join('');
  body += `xref\n0 ${objects.length + 1}\n0000000000 65535 f \n${entries}trailer\n<< /Size ${objects.length + 1} /Root 1 0 R >>\nstartxref\n${xref}\n%%EOF`;
  return { body: Buffer.from(body, 'latin1'), type: 'application/pdf' };
}

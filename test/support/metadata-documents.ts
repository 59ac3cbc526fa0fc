import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';

const TLS = new URL('../fixtures/tls/', import.meta.url);
/** Certificate that a service must trust in order to read the documents. */
export const DOCUMENTS_CERTIFICATE = new URL('self-signed.crt', TLS).pathname;

interface ServedDocument {
  status?: number;
  headers?: Record<string, string>;
  body: string;
}

/** A site with metadata documents of clients, over https. */
export class MetadataDocuments {
  /** Paths of the requests, in order. */
  readonly requests: string[] = [];
  private readonly served = new Map<string, ServedDocument>();

  private constructor(private readonly server: Server) {
    server.on('request', ({ url = '' }, response) => {
      this.requests.push(url);
      const { status = 200, headers = {}, body } = this.served.get(url) ?? { status: 404, body: '' };
      response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(body);
    });
  }

  static async start(): Promise<MetadataDocuments> {
    const [key, cert] = await Promise.all([
      readFile(new URL('self-signed.key', TLS)),
      readFile(new URL('self-signed.crt', TLS)),
    ]);
    const server = createServer({ key, cert });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return new MetadataDocuments(server);
  }

  get host(): string {
    return `localhost:${(this.server.address() as AddressInfo).port}`;
  }

  /** Serves a document and returns its address. By default, `client_id` is the address. */
  serve(path: string, document: object, answer: Omit<ServedDocument, 'body'> = {}): string {
    const url = `https://${this.host}${path}`;
    this.served.set(path, { ...answer, body: JSON.stringify({ client_id: url, ...document }) });
    return url;
  }

  async stop(): Promise<void> {
    this.server.close();
    this.server.closeAllConnections();
    await once(this.server, 'close');
  }
}

import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';

interface Upload {
  key: string;
  parts: Map<number, Buffer>;
  initiated: Date;
}

/**
 * The operations of S3 that the service uses, over HTTP and in path style, with one bucket `files`. The AWS SDK is its
 * client in the tests, so it cannot answer in a form that the SDK does not accept.
 */
export class S3Server {
  readonly objects = new Map<string, { bytes: Buffer; modified: Date }>();
  readonly markers: S3Server['objects'] = new Map();
  readonly uploads = new Map<string, Upload>();
  /** True to answer each request with 503. */
  isDown = false;
  /** Number of the part that fails, or undefined. */
  failingPart: number | undefined;
  /** Called with each request that writes; the answer waits for it. */
  beforeWrite: (key: string) => Promise<void> = async () => undefined;
  private ids = 0;

  private constructor(private readonly server: Server) {}

  static async start(): Promise<S3Server> {
    const server = createServer();
    const s3 = new S3Server(server);
    server.on('request', (request: IncomingMessage, response: ServerResponse) => void s3.answer(request, response));
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return s3;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  get env(): Record<string, string> {
    return { FILE_STORAGE: 's3', S3_BUCKET: 'files', S3_ENDPOINT: this.url, S3_PREFIX: 'aas/' };
  }

  async close(): Promise<void> {
    this.server.close();
    this.server.closeAllConnections();
    await once(this.server, 'close');
  }

  private async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pathname, searchParams: query } = new URL(request.url ?? '', this.url);
    const key = decodeURIComponent(pathname.replace(/^\/files\/?/, ''));
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const body = Buffer.concat(chunks);
    if (request.method === 'PUT') await this.beforeWrite(key);
    const [status, content, headers = {}] = this.outcome(request, key, query, body);
    response.writeHead(status, { ...headers, 'Content-Length': content.length }).end(content);
  }

  private outcome(
    { method = '', headers }: IncomingMessage,
    key: string,
    query: URLSearchParams,
    body: Buffer,
  ): [number, Buffer | string, Record<string, string>?] {
    if (this.isDown) return refused(503, 'SlowDown');
    if (!headers.authorization?.startsWith('AWS4-HMAC-SHA256 ')) return refused(403, 'AccessDenied');
    const upload = this.uploads.get(query.get('uploadId') ?? '');
    if (query.has('uploads')) return method === 'POST' ? this.begin(key) : this.listUploads();
    if (query.has('uploadId')) return upload ? this.part(method, upload, query, body) : refused(404, 'NoSuchUpload');
    if (method === 'GET' && key === '') return this.listObjects(query.get('prefix') ?? '');
    if (method === 'PUT') {
      this.placeOf(key).set(key, { bytes: body, modified: new Date() });
      return [200, '', { ETag: etag(body) }];
    }
    if (method === 'DELETE') {
      this.objects.delete(key);
      return [204, ''];
    }
    return this.get(key, headers.range);
  }

  private placeOf(key: string): S3Server['objects'] {
    return key === 'aas/installation' ? this.markers : this.objects;
  }

  private get(key: string, range = ''): [number, Buffer | string, Record<string, string>?] {
    const found = this.placeOf(key).get(key);
    if (!found) return refused(404, 'NoSuchKey');
    const [, first = '0', last = String(found.bytes.length)] = /^bytes=(\d+)-(\d+)$/.exec(range) ?? [];
    if (Number(first) >= found.bytes.length) return refused(416, 'InvalidRange');
    return [206, found.bytes.subarray(Number(first), Number(last) + 1), { ETag: etag(found.bytes) }];
  }

  private begin(key: string): [number, string] {
    const id = `upload-${++this.ids}`;
    this.uploads.set(id, { key, parts: new Map(), initiated: new Date() });
    return xml('InitiateMultipartUploadResult', `<Bucket>files</Bucket><Key>${key}</Key><UploadId>${id}</UploadId>`);
  }

  private part(
    method: string,
    upload: Upload,
    query: URLSearchParams,
    body: Buffer,
  ): [number, string, Record<string, string>?] {
    const id = query.get('uploadId') ?? '';
    if (method === 'DELETE') {
      this.uploads.delete(id);
      return [204, ''];
    }
    if (method === 'PUT') {
      const number = Number(query.get('partNumber'));
      if (number === this.failingPart) return refused(400, 'InvalidPart');
      upload.parts.set(number, body);
      return [200, '', { ETag: etag(body) }];
    }
    const bytes = Buffer.concat([...upload.parts].sort(([a], [b]) => a - b).map(([, part]) => part));
    this.objects.set(upload.key, { bytes, modified: new Date() });
    this.uploads.delete(id);
    return xml('CompleteMultipartUploadResult', `<Key>${upload.key}</Key><ETag>${etag(bytes)}</ETag>`);
  }

  private listObjects(prefix: string): [number, string] {
    const found = [...this.objects].filter(([key]) => key.startsWith(prefix));
    const contents = found.map(
      ([key, { bytes, modified }]) =>
        `<Contents><Key>${key}</Key><LastModified>${modified.toISOString()}</LastModified><Size>${bytes.length}</Size></Contents>`,
    );
    return xml('ListBucketResult', `<IsTruncated>false</IsTruncated>${contents.join('')}`);
  }

  private listUploads(): [number, string] {
    const uploads = [...this.uploads].map(
      ([id, { key, initiated }]) =>
        `<Upload><Key>${key}</Key><UploadId>${id}</UploadId><Initiated>${initiated.toISOString()}</Initiated></Upload>`,
    );
    return xml('ListMultipartUploadsResult', `<IsTruncated>false</IsTruncated>${uploads.join('')}`);
  }
}

function etag(bytes: Buffer): string {
  return `"${createHash('md5').update(bytes).digest('hex')}"`;
}

function xml(name: string, content: string): [number, string] {
  return [200, `<?xml version="1.0"?><${name} xmlns="http://s3.amazonaws.com/doc/2006-03-01/">${content}</${name}>`];
}

function refused(status: number, code: string): [number, string] {
  return [status, `<?xml version="1.0"?><Error><Code>${code}</Code><Message>${code}</Message></Error>`];
}

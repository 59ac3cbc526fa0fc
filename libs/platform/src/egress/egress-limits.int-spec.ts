import { randomBytes } from 'node:crypto';
import { createServer as createTlsServer } from 'node:tls';
import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from 'node:zlib';
import { Test } from '@nestjs/testing';
import { eventually } from '../../../../test/support/eventually.js';
import { settingsModule } from '../../../../test/support/settings-module.js';
import { DELIVERY_CONCURRENCY, EgressClient, EgressModule, type EgressSettings } from './index.js';
import { answer, type LocalServer, startHttpServer, startTcpServer } from './testing/local-servers.js';

describe('the outbound client', () => {
  const opened: { close(): Promise<void> }[] = [];

  function client(settings: Partial<EgressSettings> = {}): EgressClient {
    const made = new EgressClient({ allow: ['127.0.0.1'], ...settings });
    opened.push({ close: () => made.onApplicationShutdown() });
    return made;
  }

  async function server(starting: Promise<LocalServer>): Promise<LocalServer> {
    const started = await starting;
    opened.push(started);
    return started;
  }

  afterEach(async () => {
    for (const each of opened.splice(0).reverse()) await each.close();
  });

  describe('sends requests', () => {
    it('with the given method, headers and body, and returns status, headers, body and URL', async () => {
      const target = await server(
        startHttpServer((request, response) => {
          const chunks: Buffer[] = [];
          request.on('data', (chunk: Buffer) => chunks.push(chunk));
          request.on('end', () => {
            response.writeHead(418, { 'x-a': ['1', '2'], 'content-type': 'application/json' });
            response.end(
              JSON.stringify({
                method: request.method,
                headers: request.headers,
                body: Buffer.concat(chunks).toString(),
              }),
            );
          });
        }),
      );
      const response = await client().request({
        url: `${target.url}/path?q=1#fragment`,
        method: 'patch',
        headers: { 'X-Custom': 'ä', host: 'evil.test', connection: 'close', 'Content-Length': '1' },
        body: new TextEncoder().encode('grüße'),
      });
      expect(response).toMatchObject({ status: 418, truncated: false, url: `${target.url}/path?q=1#fragment` });
      expect(response.headers).toMatchObject({ 'x-a': '1, 2', 'content-type': 'application/json' });
      const echo = JSON.parse(response.body.toString()) as {
        method: string;
        headers: Record<string, string>;
        body: string;
      };
      expect(echo).toMatchObject({ method: 'PATCH', body: 'grüße' });
      expect(echo.headers).toMatchObject({
        host: `127.0.0.1:${target.port}`,
        'x-custom': 'ä',
        'content-length': '7',
        connection: 'keep-alive',
      });
    });

    it('over connections that it reuses', async () => {
      const target = await server(startTcpServer((socket) => socket.write(answer('ok'))));
      const egress = client();
      for (let round = 0; round < 10; round++) await egress.request({ url: target.url });
      expect(target.received.length).toBeLessThanOrEqual(2);
    });

    it('up to the concurrency of the process at the same time, so that none waits for the answer of another', async () => {
      const settings = settingsModule({
        DATABASE_URL: 'postgres://localhost/x',
        ENCRYPTION_KEY: randomBytes(32).toString('hex'),
        EGRESS_ALLOW: '127.0.0.1',
        WORKER_CONCURRENCY: '100',
      });
      const modules = await Test.createTestingModule({ imports: [settings, EgressModule] }).compile();
      opened.push(modules);
      const waiting: (() => void)[] = [];
      const target = await server(startHttpServer((_request, response) => void waiting.push(() => response.end())));
      const asked = Array.from({ length: 100 + DELIVERY_CONCURRENCY }, () =>
        modules.get(EgressClient).request({ url: target.url }),
      );
      await eventually(() => expect(waiting).toHaveLength(asked.length));
      for (const answerOne of waiting) answerOne();
      expect((await Promise.all(asked)).map(({ status }) => status)).toEqual(asked.map(() => 200));
    });

    it('without a proxy, even if the environment names one', async () => {
      const target = await server(startTcpServer((socket) => socket.write(answer('direct'))));
      process.env['HTTP_PROXY'] = process.env['http_proxy'] = 'http://127.0.0.1:9';
      try {
        expect((await client().request({ url: target.url })).body.toString()).toBe('direct');
      } finally {
        delete process.env['HTTP_PROXY'];
        delete process.env['http_proxy'];
      }
    });

    it('and skips informational answers', async () => {
      const hints = 'HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n';
      const target = await server(startTcpServer((socket) => socket.write(hints + answer('final'))));
      expect(await client().request({ url: target.url })).toMatchObject({
        status: 200,
        headers: { 'content-length': '5' },
      });
    });
  });

  describe('connects', () => {
    it('to the address that was checked, even when the name resolves to another one later', async () => {
      const target = await server(startTcpServer((socket) => socket.end(answer('ok'))));
      let asked = 0;
      const lookup = async () => [{ address: asked++ === 0 ? '127.0.0.1' : '169.254.169.254' }];
      const egress = client({ lookup });
      const url = `http://rebind.test:${target.port}/`;
      expect((await egress.request({ url })).body.toString()).toBe('ok');
      expect(asked).toBe(1);
      await expect(egress.request({ url })).rejects.toMatchObject({ reason: 'blocked', sent: false });
      expect(target.received[0]).toContain(`host: rebind.test:${target.port}\r\n`);
      expect(target.received).toHaveLength(1);
    });

    it('to none of several addresses when one of them is private', async () => {
      const target = await server(startTcpServer((socket) => socket.end(answer('ok'))));
      const lookup = async () => [{ address: '127.0.0.1' }, { address: '127.0.0.2' }];
      const url = `http://mixed.test:${target.port}/`;
      await expect(client({ lookup }).request({ url })).rejects.toMatchObject({ reason: 'blocked', sent: false });
      expect(target.received).toEqual([]);
    });

    it('to the next address of a name when the first does not accept the connection', async () => {
      const target = await server(startTcpServer((socket) => socket.end(answer('ok'))));
      const lookup = async () => [{ address: '127.0.0.2' }, { address: '127.0.0.1' }];
      const egress = client({ allow: ['127.0.0.0/8'], lookup });
      expect(await egress.request({ url: `http://two.test:${target.port}/` })).toMatchObject({ status: 200 });
    });

    it('only to the port that the operator allowed', async () => {
      const allowed = await server(startTcpServer((socket) => socket.end(answer('ok'))));
      const other = await server(startTcpServer((socket) => socket.end(answer('secret'))));
      const egress = client({ allow: [`127.0.0.0/8:${allowed.port}`] });
      expect(await egress.request({ url: allowed.url })).toMatchObject({ status: 200 });
      await expect(egress.request({ url: other.url })).rejects.toMatchObject({ reason: 'blocked', sent: false });
      expect(other.received).toEqual([]);
    });

    it('with TLS for the requested name, not for the address', async () => {
      const names: string[] = [];
      const tls = createTlsServer({
        SNICallback: (name, done) => (names.push(name), done(new Error('no certificate'))),
      });
      await new Promise<void>((resolve) => tls.listen(0, '127.0.0.1', resolve));
      opened.push({ close: () => new Promise((resolve) => tls.close(() => resolve())) });
      const { port } = tls.address() as { port: number };
      const egress = client({ lookup: async () => [{ address: '127.0.0.1' }] });
      const url = `https://secure.test:${port}/`;
      await expect(egress.request({ url })).rejects.toMatchObject({ reason: 'tls', sent: false });
      expect(names).toEqual(['secure.test']);
    });
  });

  describe('applies its limits', () => {
    const big = Buffer.alloc(200 * 1024 * 1024);
    const bomb = gzipSync(big);

    it.each([
      ['gzip', gzipSync],
      ['x-gzip', gzipSync],
      ['deflate', deflateSync],
      ['deflate', deflateRawSync],
      ['br', brotliCompressSync],
      ['GZIP', gzipSync],
    ])('and returns a small %s body whole and decompressed', async (coding, compress) => {
      const target = await server(
        startHttpServer((_request, response) =>
          response.writeHead(200, { 'content-encoding': coding }).end(compress('hello '.repeat(10_000))),
        ),
      );
      const response = await client().request({ url: target.url });
      expect(response.body.toString()).toBe('hello '.repeat(10_000));
    });

    it('to a decompression bomb, which it cuts off at the requested size', async () => {
      const target = await server(
        startHttpServer((_request, response) => response.writeHead(200, { 'content-encoding': 'gzip' }).end(bomb)),
      );
      const before = process.memoryUsage().arrayBuffers;
      const response = await client().request({ url: target.url, maxResponseBytes: 1_000 });
      expect(response).toMatchObject({ status: 200, truncated: true });
      expect(response.body).toHaveLength(1_000);
      expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(20 * 1024 * 1024);
    });

    it('to an endless body, and closes the connection', async () => {
      let closed = false;
      const target = await server(
        startHttpServer((request, response) => {
          request.socket.once('close', () => (closed = true));
          const more = (): void => {
            if (!closed) response.write('x'.repeat(10_000), () => setImmediate(more));
          };
          more();
        }),
      );
      const response = await client().request({ url: target.url, maxResponseBytes: 12_345 });
      expect(response.truncated).toBe(true);
      expect(response.body.toString()).toBe('x'.repeat(12_345));
      await eventually(() => expect(closed).toBe(true));
    });

    it('and returns a body of exactly the limit whole', async () => {
      const target = await server(startTcpServer((socket) => socket.end(answer('12345'))));
      expect(await client().request({ url: target.url, maxResponseBytes: 5 })).toMatchObject({ truncated: false });
      expect(await client().request({ url: target.url, maxResponseBytes: 4 })).toMatchObject({ truncated: true });
    });

    it.each(['utf-8', 'gzip, gzip', ''])('and returns a body in the unknown coding %j as received', async (coding) => {
      const target = await server(
        startTcpServer((socket) =>
          socket.end(`HTTP/1.1 200 OK\r\ncontent-encoding: ${coding}\r\ncontent-length: 2\r\n\r\nok`),
        ),
      );
      expect((await client().request({ url: target.url })).body.toString()).toBe('ok');
    });

    it('and returns empty answers, compressed or not', async () => {
      const target = await server(
        startHttpServer((_request, response) => response.writeHead(204, { 'content-encoding': 'gzip' }).end()),
      );
      expect(await client().request({ url: target.url })).toMatchObject({ status: 204, body: Buffer.alloc(0) });
      expect(await client().request({ url: target.url, method: 'HEAD' })).toMatchObject({
        status: 204,
        body: Buffer.alloc(0),
      });
    });

    it.each([gzipSync('hello').subarray(0, 15), Buffer.from('\x1f no gzip at all')])(
      'and fails with an error for damaged compression',
      async (body) => {
        const target = await server(
          startHttpServer((_request, response) => response.writeHead(200, { 'content-encoding': 'gzip' }).end(body)),
        );
        await expect(client().request({ url: target.url })).rejects.toMatchObject({ reason: 'protocol', sent: true });
      },
    );

    it('to headers, in every form', async () => {
      const one = await server(
        startTcpServer((socket) => socket.end(`HTTP/1.1 200 OK\r\nx: ${'a'.repeat(20_000)}\r\n\r\n`)),
      );
      await expect(client().request({ url: one.url })).rejects.toMatchObject({ reason: 'too_large', sent: true });
      const many = await server(
        startTcpServer((socket) => socket.end(`HTTP/1.1 200 OK\r\n${'x: abcdefgh\r\n'.repeat(5_000)}\r\n`)),
      );
      await expect(client().request({ url: many.url })).rejects.toMatchObject({ reason: 'too_large', sent: true });
    });

    it('to the time of a body that arrives slowly', async () => {
      let closed = false;
      const target = await server(
        startHttpServer((request, response) => {
          const drip = setInterval(() => response.write('x'), 10);
          request.socket.once('close', () => {
            clearInterval(drip);
            closed = true;
          });
        }),
      );
      await expect(client().request({ url: target.url, timeoutMs: 200 })).rejects.toMatchObject({
        reason: 'timeout',
        sent: true,
      });
      await eventually(() => expect(closed).toBe(true));
    });
  });

  describe('redirects', () => {
    it('are returned as answers unless the request follows redirects', async () => {
      const target = await server(
        startHttpServer((_request, response) => response.writeHead(302, { location: '/next' }).end()),
      );
      expect(await client().request({ url: target.url })).toMatchObject({
        status: 302,
        headers: { location: '/next' },
      });
    });

    it('are followed three times, not more', async () => {
      const target = await server(
        startHttpServer((request, response) => {
          const left = Number(request.url?.slice(1));
          if (left === 0) response.end('arrived');
          else response.writeHead(302, { location: `/${left - 1}` }).end();
        }),
      );
      const response = await client().request({ url: `${target.url}/3`, redirect: 'follow' });
      expect(response).toMatchObject({ status: 200, url: `${target.url}/0` });
      expect(response.body.toString()).toBe('arrived');
      const tooMany = client().request({ url: `${target.url}/4`, redirect: 'follow' });
      await expect(tooMany).rejects.toMatchObject({ reason: 'too_many_redirects', sent: true });
    });

    it('are followed even if their body is damaged', async () => {
      const target = await server(
        startTcpServer((socket, text) => {
          const head = 'HTTP/1.1 302 Found\r\nlocation: /next\r\ncontent-length: 9\r\n\r\nab';
          socket.end(text.includes('/first') ? head : answer('ok'));
        }),
      );
      const response = await client().request({ url: `${target.url}/first`, redirect: 'follow' });
      expect(response.body.toString()).toBe('ok');
    });

    it('are followed if their Location has bytes that a URL cannot contain', async () => {
      const target = await server(
        startTcpServer((socket, text) => {
          const next = text.includes('/first')
            ? '/caf\u00c3\u00a9?q=\u00c3\u00bc#x'
            : text.includes('/caf')
              ? '/\u00e9'
              : '';
          socket.end(
            next ? `HTTP/1.1 302 Found\r\nlocation: ${next}\r\ncontent-length: 0\r\n\r\n` : answer('ok'),
            'latin1',
          );
        }),
      );
      await client().request({ url: `${target.url}/first`, redirect: 'follow' });
      expect(target.received.join('').match(/GET \S+/g)).toEqual(['GET /first', 'GET /caf%C3%A9?q=%C3%BC', 'GET /%E9']);
    });

    it.each([
      'http://169.254.169.254/latest/',
      'http://127.0.0.2/',
      'http://[fd00::1]/',
      '//[::ffff:a9fe:a9fe]/',
      'http://0x7f000002/',
    ])('to %s are blocked', async (location) => {
      const target = await server(startHttpServer((_request, response) => response.writeHead(302, { location }).end()));
      const request = client().request({ url: target.url, redirect: 'follow' });
      await expect(request).rejects.toMatchObject({ reason: 'blocked', sent: true });
    });

    it('carry credentials to the same origin only', async () => {
      const other = await server(startTcpServer((socket) => socket.end(answer('other'))));
      const target = await server(
        startHttpServer((request, response) => {
          const location = request.url === '/away' ? other.url : '/away';
          response.writeHead(307, { location }).end();
        }),
      );
      const headers = {
        Authorization: 'Bearer canary',
        Cookie: 'canary',
        'X-Api-Key': 'canary',
        'X-Anything': 'canary',
        Accept: 'text/x',
      };
      await client().request({ url: target.url, method: 'POST', body: 'body', headers, redirect: 'follow' });
      expect(target.received.join('').match(/canary/g)).toHaveLength(8);
      expect(other.received.join('')).not.toContain('canary');
      expect(other.received.join('')).toMatch(/^POST \/ [\s\S]*accept: text\/x[\s\S]*body$/);
    });

    it.each([
      [301, 'POST', 'GET'],
      [302, 'POST', 'GET'],
      [303, 'PUT', 'GET'],
      [303, 'HEAD', 'HEAD'],
      [301, 'PUT', 'PUT'],
      [307, 'POST', 'POST'],
      [308, 'DELETE', 'DELETE'],
    ])('of status %d turn %s into %s', async (status, method, expected) => {
      const seen: string[] = [];
      const target = await server(
        startHttpServer((request, response) => {
          seen.push(`${request.method} ${request.headers['content-type'] ?? '-'}`);
          if (request.url === '/') response.writeHead(status, { location: '/next' });
          response.end();
        }),
      );
      await client().request({ url: target.url, method, headers: { 'content-type': 'text/x' }, redirect: 'follow' });
      expect(seen[1]).toBe(`${expected} ${expected === method ? 'text/x' : '-'}`);
    });
  });
});

import { eventually } from '../../../../test/support/eventually.js';
import { EgressClient, EgressError, type EgressRequest, type EgressSettings } from './index.js';
import { answer, type LocalServer, startHttpServer, startTcpServer } from './testing/local-servers.js';

/**
 * `sent` reports whether any byte of a request may have reached the server. The guarantee that no write operation is
 * repeated relies on `sent`.
 */
describe('the fate of a request', () => {
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

  /**
   * Waits until the connection has returned to the pool, which happens one turn of the event loop after the response.
   */
  async function backInPool(): Promise<void> {
    await new Promise((resolve) => setImmediate(() => setImmediate(resolve)));
  }

  async function failure(
    from: EgressClient,
    request: EgressRequest,
  ): Promise<{ reason: string; sent: boolean; cause: unknown }> {
    try {
      await from.request(request);
    } catch (error) {
      if (error instanceof EgressError) return { reason: error.reason, sent: error.sent, cause: error.cause };
      throw error;
    }
    return { reason: 'answered', sent: true, cause: undefined };
  }

  it.each<[string, () => boolean]>([
    ['returns false', () => false],
    [
      'throws',
      () => {
        throw new RangeError('too late');
      },
    ],
  ])('is not sent when onBeforeSend %s, on a new connection and on a kept one', async (_how, refuse) => {
    const target = await server(startTcpServer((socket) => socket.write(answer('ok'))));
    const egress = client();
    const post = { url: target.url, method: 'POST', body: 'write' };

    expect(await failure(egress, { ...post, onBeforeSend: refuse })).toMatchObject({ reason: 'aborted', sent: false });
    await eventually(() => expect(target.received).toEqual(['']));

    await egress.request({ ...post, body: 'first' });
    await backInPool();
    expect(await failure(egress, { ...post, onBeforeSend: refuse })).toMatchObject({ reason: 'aborted', sent: false });
    await egress.request({ ...post, body: 'second' });
    // The server received `first` and `second` on one connection, and no byte of the aborted request between them.
    expect(target.received).toHaveLength(1);
    expect(target.received[0]?.match(/POST \/ /g)).toHaveLength(2);
    expect(target.received[0]).not.toContain('write');
  });

  it('keeps the error of onBeforeSend as the cause', async () => {
    const target = await server(startTcpServer(() => undefined));
    const thrown = new RangeError('too late');
    const gate = () => {
      throw thrown;
    };
    expect(await failure(client(), { url: target.url, onBeforeSend: gate })).toEqual({
      reason: 'aborted',
      sent: false,
      cause: thrown,
    });
  });

  it('calls onBeforeSend once, after the connection is established and before the first byte is written', async () => {
    const target = await server(startTcpServer((socket) => socket.write(answer('ok'))));
    const seen: string[][] = [];
    const egress = client();
    const gate = () => seen.push([...target.received]) > 0;
    await egress.request({ url: target.url, onBeforeSend: gate });
    await backInPool();
    await eventually(() => expect(target.received[0]).toContain('GET'));
    const afterFirst = [...target.received];
    await egress.request({ url: target.url, onBeforeSend: gate });
    expect(seen).toHaveLength(2);
    expect(seen[0]?.join('')).toBe('');
    expect(seen[1]).toEqual(afterFirst);
  });

  it('is not sent when the connection is refused, and onBeforeSend is not called', async () => {
    const target = await startTcpServer(() => undefined);
    await target.close();
    let asked = 0;
    const post = { url: target.url, method: 'POST', body: 'x', onBeforeSend: () => ++asked > 0 };
    expect(await failure(client(), post)).toMatchObject({ reason: 'connect', sent: false });
    expect(asked).toBe(0);
  });

  it('is not sent when the name is not resolved in time', async () => {
    const egress = client({ lookup: () => new Promise(() => undefined), connectTimeoutMs: 100 });
    expect(await failure(egress, { url: 'http://slow.test/' })).toMatchObject({ reason: 'timeout', sent: false });
  });

  it('is not sent when the TLS handshake fails', async () => {
    const plain = await server(startTcpServer((socket) => socket.end('this is not TLS\r\n')));
    const url = plain.url.replace('http:', 'https:');
    expect(await failure(client(), { url, headers: { authorization: 'Bearer x' } })).toMatchObject({
      reason: 'tls',
      sent: false,
    });
    expect(plain.received.join('')).not.toContain('authorization');

    const closing = await server(startTcpServer((socket) => socket.destroy()));
    const closingUrl = closing.url.replace('http:', 'https:');
    expect(await failure(client(), { url: closingUrl })).toMatchObject({ reason: 'tls', sent: false });
  });

  it.each(['GET', 'PUT', 'POST', 'DELETE'])(
    'is unknown when the server resets after reading a %s, and nothing is repeated',
    async (method) => {
      const target = await server(startTcpServer((socket) => socket.resetAndDestroy()));
      const body = method === 'POST' || method === 'PUT' ? 'x' : undefined;
      expect(await failure(client(), { url: target.url, method, body })).toMatchObject({ reason: 'reset', sent: true });
      expect(target.received).toEqual([expect.stringContaining(`${method} / HTTP/1.1`)]);
    },
  );

  it.each(['GET', 'POST'])(
    'is unknown when a kept connection breaks under a %s, and nothing is repeated',
    async (method) => {
      const target = await server(
        startTcpServer((socket, text) => {
          if (text.match(/HTTP\/1\.1/g)?.length === 1) socket.write(answer('ok'));
          else socket.destroy();
        }),
      );
      const egress = client();
      await egress.request({ url: target.url });
      await backInPool();
      expect(await failure(egress, { url: `${target.url}/again`, method })).toMatchObject({
        reason: 'reset',
        sent: true,
      });
      expect(target.received.join('').match(/\/again/g)).toHaveLength(1);
    },
  );

  it('goes over a new connection when the kept one was closed while idle', async () => {
    const target = await server(
      startTcpServer((socket) => {
        socket.write(answer('ok'));
        setImmediate(() => socket.end());
      }),
    );
    const egress = client();
    for (let round = 1; round <= 5; round++) {
      const post = { url: `${target.url}/${round}`, method: 'POST', body: 'x' };
      const outcome = await egress.request(post).then(
        () => 'answered',
        (error: unknown) => (error instanceof EgressError ? `${error.reason}, sent: ${error.sent}` : 'bug'),
      );
      // The server may close the connection while the client writes the request. The request may then fail, but must
      // count as sent.
      expect(['answered', 'reset, sent: true']).toContain(outcome);
      expect(target.received.join('').match(new RegExp(`POST /${round} `, 'g')) ?? []).toHaveLength(1);
    }
  });

  it('counts as sent when the answer is cut off, is not HTTP or never arrives', async () => {
    const cut = await server(
      startTcpServer((socket) => socket.end('HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\nabc')),
    );
    expect(await failure(client(), { url: cut.url })).toMatchObject({ reason: 'reset', sent: true });
    const strange = await server(startTcpServer((socket) => socket.end('SSH-2.0-OpenSSH\r\n')));
    expect(await failure(client(), { url: strange.url })).toMatchObject({ reason: 'protocol', sent: true });
    const silent = await server(startTcpServer(() => undefined));
    expect(await failure(client(), { url: silent.url, timeoutMs: 50 })).toMatchObject({
      reason: 'timeout',
      sent: true,
    });
    expect(await failure(client(), { url: silent.url, headersTimeoutMs: 50 })).toMatchObject({
      reason: 'timeout',
      sent: true,
    });
  });

  it('counts as sent when its caller aborts it while it is in progress, and the connection is closed', async () => {
    let closed = 0;
    const target = await server(
      startTcpServer((socket) => {
        socket.once('close', () => closed++);
        abort.abort('enough');
      }),
    );
    const abort = new AbortController();
    const post = { url: target.url, method: 'POST', body: 'x', signal: abort.signal };
    expect(await failure(client(), post)).toEqual({ reason: 'aborted', sent: true, cause: 'enough' });
    await eventually(() => expect(closed).toBe(1));
  });

  it('is not sent when its caller aborted it before', async () => {
    const target = await server(startTcpServer(() => undefined));
    const egress = client();
    expect(await failure(egress, { url: target.url, signal: AbortSignal.abort() })).toMatchObject({
      reason: 'aborted',
      sent: false,
    });
    expect(target.received).toEqual([]);
  });

  it.each(['aborted', 'timeout'])(
    'stays unsent when it was given up (%s) while the connection was being made',
    async (reason) => {
      const target = await server(startTcpServer((socket) => socket.write(answer('ok'))));
      const abort = new AbortController();
      let release: (addresses: { address: string }[]) => void = () => undefined;
      const addresses = new Promise<{ address: string }[]>((resolve) => (release = resolve));
      const egress = client({
        lookup: () => {
          if (reason === 'aborted') setImmediate(() => abort.abort());
          return addresses;
        },
      });
      let asked = 0;
      const url = `http://slow.test:${target.port}/write`;
      const post = { url, method: 'POST', body: 'x', signal: abort.signal, onBeforeSend: () => ++asked > 0 };
      expect(await failure(egress, { ...post, timeoutMs: reason === 'timeout' ? 50 : 5_000 })).toMatchObject({
        reason,
        sent: false,
      });

      release([{ address: '127.0.0.1' }]);
      await egress.request({ url: `http://slow.test:${target.port}/read` });
      await eventually(() => expect(target.received).toHaveLength(2));
      expect(target.received.join('')).not.toContain('/write');
      expect(asked).toBe(0);
    },
  );

  it('counts as sent only if the service shut down after sending it', async () => {
    const target = await server(startTcpServer(() => void egress.onApplicationShutdown()));
    const egress = client();
    expect(await failure(egress, { url: target.url })).toMatchObject({ reason: 'aborted', sent: true });
    expect(await failure(egress, { url: target.url })).toMatchObject({ reason: 'aborted', sent: false });
  });

  it('counts as sent after a redirect, even if the next hop fails before it is sent', async () => {
    const target = await server(
      startHttpServer((request, response) => {
        const location = request.url === '/blocked' ? 'http://169.254.169.254/' : 'file:///etc/passwd';
        response.writeHead(307, { location: request.url === '/gate' ? '/next' : location }).end();
      }),
    );
    const follow = (path: string): EgressRequest => ({
      url: target.url + path,
      method: 'POST',
      body: 'x',
      redirect: 'follow',
    });
    expect(await failure(client(), follow('/blocked'))).toMatchObject({ reason: 'blocked', sent: true });
    expect(await failure(client(), follow('/file'))).toMatchObject({ reason: 'invalid_url', sent: true });
    const answers = [true, false];
    const gated = { ...follow('/gate'), onBeforeSend: () => answers.shift() === true };
    expect(await failure(client(), gated)).toMatchObject({ reason: 'aborted', sent: true });
    expect(target.received.join('')).not.toContain('/next');
  });

  it.each<[string, Partial<EgressRequest>]>([
    ['an invalid method', { method: 'GET /x HTTP/1.1\r\n' }],
    ['CONNECT', { method: 'connect' }],
    ['a header with a line break', { headers: { 'x-a': 'b\r\nx-c: d' } }],
    ['a header name with a space', { headers: { 'x a': 'b' } }],
  ])('is not sent with %s', async (_what, request) => {
    const target = await server(startTcpServer(() => undefined));
    expect(await failure(client(), { url: target.url, ...request })).toMatchObject({ reason: 'protocol', sent: false });
    expect(target.received.join('')).toBe('');
  });

  const CREATED = 'HTTP/1.1 201 Created\r\n';
  it.each([
    ['whose body is cut off', `${CREATED}content-length: 10\r\n\r\nabc`],
    ['with invalid chunks', `${CREATED}transfer-encoding: chunked\r\n\r\nzz\r\n`],
    ['with two lengths', `${CREATED}content-length: 1\r\ncontent-length: 2\r\n\r\nab`],
    ['with a length and chunks', `${CREATED}content-length: 1\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n`],
    ['with an invalid header', `${CREATED}a b\0: c\r\n\r\n`],
    ['whose headers are too long', `${CREATED}a: ${'x'.repeat(40_000)}\r\n\r\n`],
    ['whose headers are cut off', `${CREATED}location: /x`],
    ['after an early hint', `HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n${CREATED}location`],
    ['that is compressed wrongly', `${CREATED}content-encoding: gzip\r\ncontent-length: 2\r\n\r\n\x1fx`],
  ])('is decided by the status line of a response %s', async (_how, bytes) => {
    const target = await server(startTcpServer((socket) => socket.end(bytes, 'latin1')));
    const failing = client().request({ url: target.url, method: 'POST' });
    await expect(failing).rejects.toMatchObject({ sent: true, head: { status: 201 } });
  });

  it('is decided by a status line whose body never ends', async () => {
    const target = await server(
      startTcpServer((socket) => socket.write(`${CREATED}etag: 1\r\ncontent-length: 5\r\n\r\nab`)),
    );
    const failing = client().request({ url: target.url, method: 'POST', timeoutMs: 2_000 });
    await expect(failing).rejects.toMatchObject({ reason: 'timeout', head: { status: 201, headers: { etag: '1' } } });
  });

  it('is not decided by an interim response', async () => {
    const target = await server(startTcpServer((socket) => socket.end('HTTP/1.1 103 Early Hints\r\n\r\nHTTP/1.1 2')));
    const failing = client().request({ url: target.url, method: 'POST' });
    await expect(failing).rejects.toMatchObject({ sent: true, head: undefined });
  });

  it.each([
    ['100 Continue', 'HTTP/1.1 100 Continue\r\n\r\n'],
    ['100 Continue without carriage returns', 'HTTP/1.1 100 Continue\na: b\n\n'],
    [
      'three interim responses',
      'HTTP/1.1 100 \r\n\r\nHTTP/1.1 102 Processing\r\ncontent-length: 5\r\n\r\nHTTP/1.1 100 C\r\n\r\n',
    ],
  ])('is the final response after %s, however the bytes are split', async (_what, interim) => {
    const target = await server(
      startTcpServer((socket, text) => {
        if (text.includes('/split'))
          for (const byte of interim + answer('created', CREATED.slice(9, -2))) socket.write(byte);
        else socket.write(interim + answer('created', CREATED.slice(9, -2)));
      }),
    );
    const egress = client();
    for (const path of ['/', '/again', '/split']) {
      const { status, body } = await egress.request({ url: target.url + path, method: 'POST', body: 'x' });
      expect([status, body.toString()]).toEqual([201, 'created']);
      await backInPool();
    }
  });

  it.each(['204 No Content', '205 Reset Content', '304 Not Modified'])(
    'is a complete response without a body for %s with a length',
    async (status) => {
      const target = await server(
        startTcpServer((socket, text) => {
          const body = text.includes('/body') ? '{"a":1}' : '';
          socket.write(`HTTP/1.1 ${status}\r\ncontent-length: 7\r\n\r\n${body}`);
        }),
      );
      const egress = client();
      for (const [method, path] of [
        ['POST', '/body'],
        ['DELETE', '/none'],
        ['GET', '/body'],
        ['HEAD', '/none'],
      ]) {
        const response = await egress.request({ url: `${target.url}${path}`, method });
        expect(response).toMatchObject({ status: Number(status.slice(0, 3)), body: Buffer.alloc(0) });
      }
      expect(target.received.filter(Boolean)).toHaveLength(4);
    },
  );

  it('keeps the connection after a response without a body that announces none', async () => {
    const target = await server(startTcpServer((socket) => socket.write('HTTP/1.1 204 No Content\r\n\r\n')));
    const egress = client();
    for (let round = 1; round <= 3; round++) {
      await egress.request({ url: target.url, method: 'POST' });
      await backInPool();
    }
    expect(target.received).toHaveLength(1);
  });

  it('is a plain body if the header says gzip and the body is not compressed', async () => {
    const head = 'HTTP/1.1 200 OK\r\ncontent-encoding: gzip\r\ncontent-length: 7\r\n\r\n';
    const target = await server(startTcpServer((socket) => socket.end(`${head}{"a":1}`)));
    expect((await client().request({ url: target.url })).body.toString()).toBe('{"a":1}');
  });

  it('keeps several cookies apart, and takes the first of several locations', async () => {
    const head =
      'set-cookie: a=1\r\nset-cookie: b=2\r\nlocation: /x\r\nlocation: /y\r\nvary: a\r\nvary: b\r\ncontent-length: 0';
    const target = await server(startTcpServer((socket) => socket.end(`HTTP/1.1 302 Found\r\n${head}\r\n\r\n`)));
    expect(await client().request({ url: target.url })).toMatchObject({
      headers: { location: '/x', vary: 'a, b' },
      cookies: ['a=1', 'b=2'],
    });
  });
});

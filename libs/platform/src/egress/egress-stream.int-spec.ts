import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { EgressClient, egressFetch, type EgressSettings } from './index.js';
import { type LocalServer, startHttpServer } from './testing/local-servers.js';

const MEGABYTE = 1024 * 1024;

describe('a streamed answer', () => {
  const opened: { close(): Promise<void> }[] = [];

  function client(settings: Partial<EgressSettings> = {}): EgressClient {
    const made = new EgressClient({ allow: ['127.0.0.1'], ...settings });
    opened.push({ close: () => made.onApplicationShutdown() });
    return made;
  }

  async function server(listener: (response: ServerResponse) => void): Promise<LocalServer> {
    const started = await startHttpServer((_, response) => listener(response));
    opened.push(started);
    return started;
  }

  afterEach(async () => {
    for (const each of opened.splice(0).reverse()) await each.close();
  });

  it('can be read before it is complete', async () => {
    let answer: ServerResponse | undefined;
    const { url } = await server((response) => {
      answer = response;
      response.write('first');
    });
    const { status, body } = await client().stream({ url });
    const reader = body.pipeThrough(new TextDecoderStream()).getReader();
    expect([status, (await reader.read()).value]).toEqual([200, 'first']);
    answer!.end('second');
    expect((await reader.read()).value).toBe('second');
    expect((await reader.read()).done).toBe(true);
  });

  it('is not received faster than it is read', async () => {
    let written = 0;
    const { url } = await server((response) => {
      const chunk = Buffer.alloc(MEGABYTE);
      const go = async (): Promise<void> => {
        for (; written < 100 && !response.destroyed; written++)
          if (!response.write(chunk)) await once(response, 'drain');
      };
      go().catch(() => undefined);
    });
    const { body } = await client().stream({ url, maxResponseBytes: 200 * MEGABYTE, timeoutMs: 1_500 });
    const reader = body.getReader();
    await reader.read();
    // The test reads no more of the stream. The server can therefore write only as much as the connection buffers.
    await reader.closed.catch((error: unknown) => expect(error).toMatchObject({ reason: 'timeout' }));
    expect(written).toBeLessThan(50);
  });

  it('fails beyond its size limit', async () => {
    const { url } = await server((response) => response.end(Buffer.alloc(2 * MEGABYTE)));
    const { body } = await client().stream({ url, maxResponseBytes: MEGABYTE });
    await expect(drain(body.getReader())).rejects.toMatchObject({ reason: 'too_large', sent: true });
  });

  it('fails when the connection breaks, when its time limit passes and when its caller aborts', async () => {
    const { url } = await server((response) => {
      response.write('first');
      if (response.req.url === '/cut') setImmediate(() => response.destroy());
    });
    const read = async (path: string, more: object): Promise<void> => {
      const { body } = await client().stream({ url: url + path, ...more });
      await drain(body.getReader());
    };
    await expect(read('/cut', {})).rejects.toMatchObject({ reason: 'reset', sent: true });
    await expect(read('/', { timeoutMs: 100 })).rejects.toMatchObject({ reason: 'timeout' });
    await expect(read('/', { signal: AbortSignal.timeout(100) })).rejects.toMatchObject({ reason: 'aborted' });
  });

  it('is refused when it is compressed', async () => {
    const { url } = await server((response) => response.writeHead(200, { 'content-encoding': 'gzip' }).end('x'));
    await expect(client().stream({ url })).rejects.toMatchObject({ reason: 'protocol' });
  });

  it('reaches an origin that the operator trusts, at that port and no other', async () => {
    const { url, port } = await server((response) => response.end('local'));
    const trusting = client({ allow: [], trustedOrigins: [`http://localhost:${port}`] });
    const answer = await egressFetch(trusting, {})(`http://localhost:${port}/`);
    expect(await answer.text()).toBe('local');
    await expect(trusting.stream({ url })).rejects.toMatchObject({ reason: 'blocked' });
    await expect(trusting.stream({ url: `http://localhost:${port + 1}` })).rejects.toMatchObject({ reason: 'blocked' });
  });
});

async function drain(reader: ReadableStreamDefaultReader<Uint8Array>): Promise<void> {
  while (!(await reader.read()).done);
}

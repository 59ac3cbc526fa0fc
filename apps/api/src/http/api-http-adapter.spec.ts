import { once } from 'node:events';
import { IncomingMessage, type Server, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import express, { type Request, type Response } from 'express';
import { ApiHttpAdapter } from './api-http-adapter.js';

describe('ApiHttpAdapter', () => {
  const app = express();
  let server: Server;
  /** The prototypes of the last request and the last response, recorded before Express handles them. */
  let made: (object | null)[];

  beforeAll(async () => {
    app.set('etag', false);
    const adapter = new ApiHttpAdapter(app);
    adapter.initHttpServer();
    server = adapter.getHttpServer();
    server.prependListener('request', (...pair) => (made = pair.map(Object.getPrototypeOf)));
    await once(server.listen(0, '127.0.0.1'), 'listening');
  });

  afterAll(async () => {
    await once(server.close(), 'close');
  });

  const get = (path: string, headers: Record<string, string> = {}, method = 'GET'): Promise<globalThis.Response> => {
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}${path}`;
    return fetch(url, { method, headers: { connection: 'close', 'accept-encoding': 'identity', ...headers } });
  };

  it('leaves requests and responses the prototypes that Node gave them', async () => {
    const handled: (object | null)[] = [];
    app.get('/prototypes', (request: Request, response: Response) => {
      handled.push(Object.getPrototypeOf(request), Object.getPrototypeOf(response));
      response.end();
    });
    await get('/prototypes');
    expect(handled[0]).toBe(made[0]);
    expect(handled[1]).toBe(made[1]);
  });

  it('has them do what Express and Node promise of them', async () => {
    app.get('/promises/:id', (request: Request, response: Response) => {
      const isOfNode = request instanceof IncomingMessage && response instanceof ServerResponse;
      response.status(202).json({
        isOfNode,
        isOfThisApp: request.app === app && response.app === app,
        id: request.params['id'],
        q: request.query['q'],
        host: request.get('host'),
      });
    });
    const answer = await get('/promises/7?q=a%20b');
    expect(answer.status).toBe(202);
    const host = new URL(answer.url).host;
    expect(await answer.json()).toEqual({ isOfNode: true, isOfThisApp: true, id: '7', q: 'a b', host });
  });

  describe('compression', () => {
    const text = 'trace '.repeat(1_000);
    const seen = ({ status, headers }: globalThis.Response) => [
      status,
      ...['content-type', 'content-encoding', 'vary', 'etag'].map((name) => headers.get(name)),
    ];
    const json = (path: string, etag?: string) =>
      app.get(path, (_request: Request, response: Response) => {
        if (etag !== undefined) response.set('ETag', etag);
        response.json({ text });
      });

    it.each([
      ['gzip, deflate, br', 'br'],
      ['gzip, deflate', 'gzip'],
      ['br;q=0, gzip', 'gzip'],
      ['deflate', null],
      ['identity', null],
    ])('answers Accept-Encoding %s with Content-Encoding %s', async (accepted, encoding) => {
      json('/large');
      const answer = await get('/large', { 'accept-encoding': accepted });
      expect(seen(answer)).toEqual([200, 'application/json; charset=utf-8', encoding, 'Accept-Encoding', null]);
      expect(await answer.json()).toEqual({ text });
    });

    it('sends HEAD the headers of GET', async () => {
      json('/head');
      const [of, without] = await Promise.all(
        ['GET', 'HEAD'].map((method) => get('/head', { 'accept-encoding': 'gzip' }, method)),
      );
      const names = ['content-encoding', 'content-length', 'content-type', 'vary'];
      expect(names.map((name) => without?.headers.get(name))).toEqual(names.map((name) => of?.headers.get(name)));
      expect(await without?.text()).toBe('');
    });

    it('compresses no version that a client sends as If-Match, but the tag of a document', async () => {
      json('/version', '"3"');
      json('/document', 'W/"a"');
      const accepted = { 'accept-encoding': 'gzip' };
      const type = 'application/json; charset=utf-8';
      expect(seen(await get('/version', accepted))).toEqual([200, type, null, null, '"3"']);
      expect(seen(await get('/document', accepted))).toEqual([200, type, 'gzip', 'Accept-Encoding', 'W/"a"']);
      const known = await get('/document', { ...accepted, 'cache-control': 'max-age=0', 'if-none-match': 'W/"a"' });
      expect(seen(known)).toEqual([304, null, null, 'Accept-Encoding', 'W/"a"']);
    });

    it('compresses texts and problems, but no bytes, no streams and nothing small', async () => {
      const kinds = ['application/problem+json', 'text/csv', 'application/yaml', 'application/pdf'];
      app.get('/kinds/:n', ({ params }: Request, response: Response) => {
        response.setHeader('Content-Type', kinds[Number(params['n'])] ?? '').send(Buffer.from(text));
      });
      app.get('/stream', (_request: Request, response: Response) => {
        response.setHeader('Content-Type', 'text/event-stream').write(text);
        response.end();
      });
      app.get('/small', (_request: Request, response: Response) => void response.json({ text: text.slice(0, 900) }));
      const paths = [...kinds.map((_, n) => `/kinds/${n}`), '/stream', '/small'];
      const answers = await Promise.all(paths.map((path) => get(path, { 'accept-encoding': 'gzip' })));
      const encodings = answers.map(({ headers }) => headers.get('content-encoding'));
      expect(encodings).toEqual(['gzip', 'gzip', 'gzip', null, null, null]);
      expect(await answers[1]?.text()).toBe(text);
    });
  });
});

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
    const adapter = new ApiHttpAdapter(app);
    adapter.initHttpServer();
    server = adapter.getHttpServer();
    server.prependListener('request', (...pair) => (made = pair.map(Object.getPrototypeOf)));
    await once(server.listen(0, '127.0.0.1'), 'listening');
  });

  afterAll(async () => {
    await once(server.close(), 'close');
  });

  const get = (path: string): Promise<globalThis.Response> =>
    fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}${path}`, { headers: { connection: 'close' } });

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
});

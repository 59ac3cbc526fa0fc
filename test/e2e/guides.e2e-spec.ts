import { sendRaw } from '../support/raw-http.js';
import type { HttpApi } from '../support/http-api.js';
import { sharedApi } from '../support/shared-api.js';

describe('the delivery of the guides', () => {
  let api: HttpApi;

  beforeAll(async () => {
    api = await sharedApi();
  });
  afterAll(() => api.close());

  const get = async (path: string, headers: Record<string, string> = {}) => {
    const answer = await fetch(`${api.url}/docs/guides${path}`, { headers, redirect: 'manual' });
    // The socket of a page that nobody reads would keep the jest worker from its exit.
    await answer.clone().arrayBuffer();
    return answer;
  };
  const addressIn = async (pattern: RegExp) => {
    const page = await (await get('/')).text();
    return (pattern.exec(page)?.[1] ?? '').replace('/docs/guides', '');
  };

  it('sends pages that a cache asks about again and that run no script of another place', async () => {
    const answer = await get('/steps');
    expect(answer.status).toBe(200);
    expect(Object.fromEntries(answer.headers)).toMatchObject({
      'content-type': 'text/html; charset=utf-8',
      'cache-control': 'no-cache',
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
      vary: 'Accept-Encoding',
    });
    const policy = answer.headers.get('content-security-policy') ?? '';
    for (const part of ["default-src 'none'", "script-src 'self'", "style-src 'self'", "frame-ancestors 'none'"])
      expect(policy.split('; ')).toContain(part);
    expect(policy).toContain("require-trusted-types-for 'script'");
    expect(policy).not.toMatch(/unsafe-|nonce|https?:|\*/);
  });

  it('answers 304 while a page has not changed', async () => {
    const etag = (await get('/steps')).headers.get('etag') ?? '';
    // The test does not use `fetch`, because `fetch` would add a `Cache-Control` header that asks for a new copy.
    const ask = (path: string) =>
      sendRaw(
        api.port,
        `GET /docs/guides${path} HTTP/1.1\r\nHost: x\r\nIf-None-Match: ${etag}\r\nConnection: close\r\n\r\n`,
      );
    expect(await ask('/steps')).toMatchObject({ status: 304, body: '' });
    expect(await ask('/tools')).toMatchObject({ status: 200 });
  });

  it('sends the script, the style and the index immutable', async () => {
    const patterns = [/src="([^"]+\.js)"/, /href="([^"]+\.css)"/, /data-index="([^"]+\.json)"/];
    for (const pattern of patterns) {
      const answer = await get(await addressIn(pattern));
      expect([answer.status, answer.headers.get('cache-control')]).toEqual([
        200,
        'public, max-age=31536000, immutable',
      ]);
      expect(answer.headers.get('x-content-type-options')).toBe('nosniff');
    }
  });

  it.each(['/steps', '/'])('sends %s compressed as the client accepts', async (path) => {
    const sizes: number[] = [];
    for (const encoding of ['br', 'gzip', 'identity']) {
      const answer = await get(path, { 'accept-encoding': encoding });
      expect(answer.headers.get('content-encoding')).toBe(encoding === 'identity' ? null : encoding);
      expect(await answer.text()).toContain('<!doctype html>');
      sizes.push(Number(answer.headers.get('content-length')));
    }
    expect(sizes).toEqual([...sizes].sort((a, b) => a - b));
  });

  it('leads to the index without the slash', async () => {
    const answer = await get('');
    expect([answer.status, answer.headers.get('location')]).toEqual([302, '/docs/guides/']);
  });

  it.each([
    '/none',
    '/steps/',
    '/index',
    '/steps.html',
    '/steps.html.br',
    '/steps.md',
    '/assets/',
    '/assets/none.js',
    '/assets/..%2findex.html',
  ])('answers 404 at %s, as everywhere', async (path) => {
    const answer = await get(path);
    expect([answer.status, answer.headers.get('content-type')]).toEqual([404, 'application/problem+json']);
    expect(await answer.json()).toMatchObject({ code: 'not_found' });
  });

  it('is linked from the API reference', async () => {
    const { body } = await api.call('GET', '/v1/openapi.json');
    expect(body.externalDocs).toEqual({ description: 'Guides', url: '/docs/guides/' });
  });
});

import { greeterNamed } from '../fixtures/definitions.js';
import { startApi, type TestApi } from '../support/api.js';
import type { ApiAnswer, HttpApi, TestTenant } from '../support/http-api.js';
import { createTestDatabase } from '../support/postgres.js';
import { PostgresTap } from '../support/postgres-tap.js';
import { sendRaw } from '../support/raw-http.js';
import { sharedApi } from '../support/shared-api.js';

const YAML = { 'Content-Type': 'application/yaml' };

describe('failures over HTTP', () => {
  let api: HttpApi;
  let tenant: TestTenant;
  let key: string;
  let runs: string;

  beforeAll(async () => {
    api = await sharedApi();
    tenant = await api.newTenant();
    key = tenant.adminKey;
    const agent = await api.call('POST', '/v1/agents', { key, body: greeterNamed('target'), headers: YAML });
    runs = `/v1/agents/${agent.body.id}/runs`;
  });

  afterAll(() => api.close());

  function expectProblem(answer: ApiAnswer, status: number, code: string): void {
    expect(answer.body).toMatchObject({ status, code, type: `urn:agent-automation-service:problem:${code}` });
    expect(answer.status).toBe(status);
    expect(answer.headers.get('content-type')).toBe('application/problem+json');
    expect(answer.body).toMatchObject({ title: expect.any(String), detail: expect.any(String) });
    expect(answer.body.request_id).toBe(answer.headers.get('x-request-id'));
  }

  describe('about the address', () => {
    it.each(['/', '/v1', '/v2/agents', '/v1/agent', '/V1/agents', '/v1/agents/x/y/z', '/docs/none.js'])(
      'answers 404 at %s',
      async (path) => expectProblem(await api.call('GET', path, { key }), 404, 'not_found'),
    );

    it.each([
      ['PUT', '/v1/agents', 'GET, HEAD, POST'],
      ['DELETE', '/v1/me', 'GET, HEAD'],
      ['PATCH', '/v1/runs/run_1/cancel', 'POST'],
      ['OPTIONS', '/v1/agents/agt_1/runs', 'POST'],
      ['POST', '/healthz', 'GET, HEAD'],
    ])('answers 405 to %s %s and says what is allowed', async (method, path, allowed) => {
      const answer = await api.call(method, path, { key });
      expectProblem(answer, 405, 'method_not_allowed');
      expect(answer.headers.get('allow')).toBe(allowed);
    });

    it.each(['/v1/agents/%zz', '/v1/agents/%ff', '/v1/runs?agent=%', '/nothing/%'])(
      'answers 400 to %s',
      async (path) => {
        const { status, headers, body } = await sendRaw(
          api.port,
          `GET ${path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`,
        );
        expect([status, headers['content-type']]).toEqual([400, 'application/problem+json']);
        expect(JSON.parse(body)).toMatchObject({ code: 'invalid_request' });
      },
    );

    it.each([
      'agt_01kahzvk3te9d8q6f0f1v3m2sx',
      'agt_1',
      'run_01kahzvk3te9d8q6f0f1v3m2sx',
      'AGT_01KAHZVK3TE9D8Q6F0F1V3M2SX',
      '%00',
      "'; drop table agents --",
      'x'.repeat(200),
    ])('answers 404 to the agent id %s', async (id) => {
      expectProblem(
        await api.call('GET', `/v1/agents/${encodeURIComponent(decodeURIComponent(id))}`, { key }),
        404,
        'not_found',
      );
    });
  });

  describe('about the body', () => {
    const start = (body: string, headers: Record<string, string> = { 'Content-Type': 'application/json' }) =>
      api.call('POST', runs, { key, body, headers });

    it('answers 400 with the place of a JSON mistake', async () => {
      const answer = await start('{\n  "input": {,}\n}');
      expectProblem(answer, 400, 'invalid_json');
      expect(answer.body.errors).toEqual([
        { pointer: '', detail: 'A key in double quotes is expected here, but there is `,`.', line: 2, column: 13 },
      ]);
    });

    it.each(['[]', '"x"', 'null', '1'])('answers 400 to %s, which is no object', async (body) => {
      expectProblem(await start(body), 400, 'invalid_request');
    });

    it('answers 400 where an object is needed and nothing is sent', async () => {
      expectProblem(await start(''), 400, 'invalid_request');
      expectProblem(await api.call('POST', runs, { key }), 400, 'invalid_request');
      expectProblem(await api.call('POST', '/v1/agents', { key, headers: YAML }), 400, 'invalid_request');
    });

    it.each([
      ['text/plain'],
      ['application/x-www-form-urlencoded'],
      ['application/yaml'],
      ['application/json; charset=utf-16'],
    ])('answers 415 to JSON sent as %s', async (type) => {
      expectProblem(await start('{}', { 'Content-Type': type }), 415, 'unsupported_media_type');
    });

    it('answers 415 to a compressed body and to one without a type', async () => {
      const compressed = { 'Content-Type': 'application/json', 'Content-Encoding': 'gzip' };
      expectProblem(await start('{}', compressed), 415, 'unsupported_media_type');
      const head = `POST ${runs} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${key}\r\nContent-Length: 2\r\nConnection: close`;
      expect((await sendRaw(api.port, `${head}\r\n\r\n{}`)).status).toBe(415);
    });

    it('answers 413 to more than a mebibyte of JSON and to a definition above 256 KiB', async () => {
      expectProblem(await start(`{"input":{"x":"${'x'.repeat(1024 * 1024)}"}}`), 413, 'payload_too_large');
      const definition = `${greeterNamed('big')}# ${'x'.repeat(256 * 1024)}`;
      expectProblem(
        await api.call('POST', '/v1/agents', { key, body: definition, headers: YAML }),
        413,
        'payload_too_large',
      );
    });

    it('takes an input of a mebibyte, whatever stands around it, and answers 413 to a byte more', async () => {
      const input = (bytes: number) => `{"name":"${'x'.repeat(bytes - '{"name":""}'.length)}"}`;
      const MEBIBYTE = 1024 * 1024;
      expect((await start(`{"mode": "test", "input": ${input(MEBIBYTE)}}`)).status).toBe(202);
      const answer = await start(`{"input":${input(MEBIBYTE + 1)}}`);
      expectProblem(answer, 413, 'payload_too_large');
      expect(answer.body.limit_bytes).toBe(MEBIBYTE);
    });

    it('answers 413 to a chunked body that does not end', async () => {
      const head = `POST ${runs} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${key}\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n`;
      const chunk = `10000\r\n${' '.repeat(0x10000)}\r\n`;
      const { status, body } = await sendRaw(api.port, `${head}${chunk.repeat(17)}0\r\n\r\n`);
      expect([status, JSON.parse(body).code]).toEqual([413, 'payload_too_large']);
    });

    it('answers 400 to bytes that are not UTF-8', async () => {
      const head = `POST ${runs} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${key}\r\nContent-Type: application/json\r\nContent-Length: 4\r\nConnection: close\r\n\r\n`;
      const { status, body } = await sendRaw(
        api.port,
        Buffer.concat([Buffer.from(head), Buffer.from([0x22, 0xff, 0xfe, 0x22])]),
      );
      expect([status, JSON.parse(body).code]).toEqual([400, 'invalid_request']);
    });

    it.each([
      ['{"input":{"a":"\\u0000"}}', '/input/a'],
      ['{"input":{"a":"\\ud83d"}}', '/input/a'],
    ])('answers 400 to %s with a pointer', async (body, pointer) => {
      const answer = await start(body);
      expectProblem(answer, 400, 'invalid_request');
      expect(answer.body.errors).toMatchObject([{ pointer }]);
    });

    it('names unknown fields with what was probably meant', async () => {
      const answer = await start('{"inputs":{"name":"Ada"},"workspace_id":"wsp_1"}');
      expectProblem(answer, 400, 'invalid_request');
      expect(answer.body.errors).toMatchObject([
        { pointer: '/inputs', suggestion: 'Did you mean `input`?' },
        { pointer: '/workspace_id' },
      ]);
    });
  });

  describe('before there is a request', () => {
    it('answers 431 to headers above 16 KiB', async () => {
      const bytes = `GET /healthz HTTP/1.1\r\nHost: x\r\nX-Big: ${'x'.repeat(20_000)}\r\n\r\n`;
      const { status, headers, body } = await sendRaw(api.port, bytes);
      expect([status, headers['content-type'], headers.connection]).toEqual([431, 'application/problem+json', 'close']);
      expect(JSON.parse(body)).toMatchObject({
        status: 431,
        code: 'invalid_request',
        request_id: headers['x-request-id'],
      });
    });

    it('answers 400 to what is not HTTP', async () => {
      const { status, body } = await sendRaw(api.port, 'HELLO\r\n\r\n');
      expect([status, JSON.parse(body).code]).toEqual([400, 'invalid_request']);
    });

    it('answers 400 to a request without Host', async () => {
      const { status, body } = await sendRaw(api.port, 'GET /healthz HTTP/1.1\r\nConnection: close\r\n\r\n');
      expect([status, JSON.parse(body).code]).toEqual([400, 'invalid_request']);
    });

    it.each([
      ['Host', 'host: y'],
      ['Authorization', 'Authorization: Bearer x'],
      ['Content-Type', 'content-type: text/plain'],
      ['Idempotency-Key', 'Idempotency-Key: two'],
      ['X-Service-Webhook-Secret', 'X-Service-Webhook-Secret: two'],
    ])('answers 400 to a second %s header', async (name, second) => {
      const first = `Host: x\r\n${name === 'Host' ? '' : `${name}: one\r\n`}`;
      const bytes = `GET /healthz HTTP/1.1\r\n${first}${second}\r\nConnection: close\r\n\r\n`;
      const { status, headers, body } = await sendRaw(api.port, bytes);
      expect([status, headers['content-type']]).toEqual([400, 'application/problem+json']);
      expect(JSON.parse(body)).toMatchObject({
        code: 'invalid_request',
        detail: expect.stringMatching(new RegExp(`more than one ${name} header`, 'i')),
      });
    });

    it('answers 400 to a length beside chunks, which a proxy might read in another way', async () => {
      const bytes = `POST ${runs} HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`;
      expect((await sendRaw(api.port, bytes)).status).toBe(400);
    });
  });

  describe('of the service itself', () => {
    it('answers 500 without a word about the inside, and logs the failure under the request id', async () => {
      const broken = await createTestDatabase();
      const other = await startApi({ databaseUrl: broken.url });
      try {
        const { adminKey } = await other.newTenant();
        expect((await other.call('GET', '/v1/agents', { key: adminKey })).status).toBe(200);
        await other.execute('alter table agents rename to gone');
        const answer = await other.call('GET', '/v1/agents', {
          key: adminKey,
          headers: { 'X-Request-Id': 'trace-me' },
        });
        expectProblem(answer, 500, 'internal_error');
        expect(JSON.stringify(answer.body)).not.toMatch(/relation|select|agents|\.ts|at /i);
        const line = other.logged().find((record) => record.requestId === 'trace-me' && record.level === 'error');
        expect(line).toMatchObject({
          err: { message: expect.stringContaining('"agents" does not exist'), stack: expect.any(String) },
        });
      } finally {
        await other.close();
        await broken.drop();
      }
    });

    it('answers 503 with Retry-After while the database is away', async () => {
      const tap = await PostgresTap.open(api.databaseUrl);
      const other = await startApi({ databaseUrl: tap.url });
      try {
        expect((await other.call('GET', '/v1/workspace', { key })).status).toBe(200);
        await tap.close();
        const answer = await other.call('GET', '/v1/workspace', { key });
        expectProblem(answer, 503, 'unavailable');
        expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0);
        const ready = await other.call('GET', '/readyz');
        expectProblem(ready, 503, 'unavailable');
        expect(ready.body.missing).toMatchObject([{ part: 'database' }, { part: 'queue' }]);
        expect((await other.call('GET', '/healthz')).status).toBe(200);
      } finally {
        await other.close();
      }
    });
  });
});

describe('every answer', () => {
  let api: TestApi;

  beforeAll(async () => {
    api = await startApi();
  });

  afterAll(() => api.close());

  it('names its request: by the id that the client chose, or by a new one', async () => {
    const chosen = await api.call('GET', '/healthz', { headers: { 'X-Request-Id': 'my.request-1_A' } });
    expect(chosen.headers.get('x-request-id')).toBe('my.request-1_A');
    for (const bad of ['with space', 'x'.repeat(129), 'ü', '<script>']) {
      const answer = await sendRaw(
        api.port,
        `GET /healthz HTTP/1.1\r\nHost: x\r\nX-Request-Id: ${bad}\r\nConnection: close\r\n\r\n`,
      );
      expect(answer.headers['x-request-id']).toMatch(/^req_[0-9a-z]{26}$/);
    }
  });

  it('carries headers that keep browsers from rendering, framing and keeping it, and allows no other origin', async () => {
    const { headers } = await api.call('GET', '/v1/me', { headers: { Origin: 'https://evil.example' } });
    expect(headers.get('content-security-policy')).toBe("default-src 'none';frame-ancestors 'none'");
    expect(headers.get('x-content-type-options')).toBe('nosniff');
    expect(headers.get('x-frame-options')).toBe('DENY');
    expect(headers.get('cache-control')).toBe('no-store');
    expect(headers.get('x-powered-by')).toBeNull();
    expect(headers.get('access-control-allow-origin')).toBeNull();
  });

  it('to HEAD is that to GET without the body', async () => {
    for (const path of ['/healthz', '/v1/openapi.json', '/v1/me', '/none']) {
      const [get, head] = [await api.call('GET', path), await api.call('HEAD', path)];
      expect([head.status, head.headers.get('content-type'), head.headers.get('content-length')]).toEqual([
        get.status,
        get.headers.get('content-type'),
        get.headers.get('content-length'),
      ]);
      expect(head.body).toBe('');
    }
  });

  it('is logged once, with its request, and without what came in', async () => {
    await api.call('GET', '/v1/runs?agent=secret-in-query', {
      key: 'aas_live_secret',
      headers: { 'X-Request-Id': 'log-me' },
    });
    const lines = api.logged().filter((record) => record.requestId === 'log-me');
    expect(lines).toMatchObject([{ method: 'GET', path: '/v1/runs', status: 401, ms: expect.any(Number) }]);
    expect(JSON.stringify(lines)).not.toMatch(/secret/);
  });

  it('is counted under its route, never under its path', async () => {
    await api.call('GET', '/v1/runs/run_1');
    await api.call('GET', '/some/unknown/path');
    const { body, headers } = await api.call('GET', '/metrics');
    expect(headers.get('content-type')).toMatch(/^text\/plain/);
    expect(body).toMatch(/aas_http_request_seconds_count\{method="GET",route="\/v1\/runs\/:id",status="401"\} 1/);
    expect(body).toMatch(/aas_http_request_seconds_count\{method="GET",route="none",status="404"\}/);
    expect(body).not.toContain('unknown/path');
  });
});

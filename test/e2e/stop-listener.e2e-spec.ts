import { once } from 'node:events';
import { connect } from 'node:net';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Program } from '../support/program.js';
import { aPerson } from '../support/people.js';
import { sendRaw } from '../support/raw-http.js';
import { Scene } from '../support/scene.js';
import { newWorkspace } from '../support/new-workspace.js';
import { eventually } from '../support/eventually.js';

const STOP = '/v1/workspace/emergency-stop';
const SPIN_MS = 6_000;

const preloaded = (file: string) => pathToFileURL(join(import.meta.dirname, '..', 'faults', 'preload', file)).href;

/** Blocks the main thread of the program for {@link SPIN_MS}. */
async function block(program: Program): Promise<void> {
  const before = program.log().split('spinning').length;
  program.signal('SIGUSR2');
  await program.until(() => Promise.resolve(program.log().split('spinning').length > before), 'the block');
}

describe('the listener of the emergency stop', () => {
  let scene: Scene;
  let port: number;
  let bearer: string;

  beforeAll(async () => {
    scene = await Scene.start({
      workers: 0,
      env: {
        SPIN_MS: String(SPIN_MS),
        API_STALL_LIMIT_MS: '1000',
        NODE_OPTIONS: `--import ${preloaded('spin.mjs')}`,
      },
    });
    port = Number(new URL(scene.stack.baseUrl).port);
    bearer = `Authorization: Bearer ${scene.stack.adminKey}\r\n`;
  });
  afterAll(() => scene.stop());

  const resume = () => scene.stack.client.expect('POST', '/v1/workspace/resume', {});
  const stopRequest = (headers = '', body = '') =>
    `POST ${STOP} HTTP/1.1\r\nHost: x\r\n${headers}Content-Length: ${body.length}\r\n\r\n${body}`;
  const me = () => `GET /v1/me HTTP/1.1\r\nHost: x\r\n${bearer}\r\n`;

  it('answers as the api does: keys, roles, bodies, methods, request ids', async () => {
    const { client } = scene.stack;
    const answer = await client.call<{ code?: string; errors?: unknown }>('POST', STOP, { raeson: 'x' });
    expect(answer).toMatchObject({ status: 400, body: { code: 'invalid_request', errors: [{ pointer: '/raeson' }] } });
    expect(answer.headers.get('content-type')).toBe('application/problem+json');
    expect((await client.call('POST', STOP, undefined, { 'x-request-id': 'mine' })).headers.get('x-request-id')).toBe(
      'mine',
    );
    const unknown = await sendRaw(port, stopRequest('Authorization: Bearer aas_live_x\r\n'));
    expect([unknown.status, JSON.parse(unknown.body)]).toMatchObject([401, { code: 'invalid_api_key' }]);
    expect((await sendRaw(port, stopRequest())).status).toBe(401);
    const viewer = await aPerson(scene.stack, 'viewer@example.com', { role: 'viewer' });
    expect(await viewer.call('POST', STOP)).toMatchObject({ status: 403, body: { code: 'admin_required' } });
    expect((await sendRaw(port, stopRequest(`${bearer}Content-Type: application/json\r\n`, '{'))).status).toBe(400);
    const large = 'x'.repeat(1024 * 1024 + 1);
    expect((await sendRaw(port, stopRequest(`${bearer}Content-Type: application/json\r\n`, large))).status).toBe(413);
    expect(await client.call('GET', STOP)).toMatchObject({ status: 405 });
    const trail = await client.expect<{ data: { action: string; actor: string }[] }>('GET', '/v1/audit-events?limit=5');
    expect(trail.data).toContainEqual(
      expect.objectContaining({ action: 'workspace.stop_refused', actor: 'viewer@example.com' }),
    );
    await resume();
  });

  it('stops the workspace of the key and no other, and repeats the same answer', async () => {
    const { client, databaseUrl, baseUrl } = scene.stack;
    const other = await newWorkspace(databaseUrl);
    const stopOther = () =>
      fetch(`${baseUrl}${STOP}`, {
        method: 'POST',
        headers: { authorization: `Bearer ${other.key}`, 'idempotency-key': 'once' },
      });
    const first = (await (await stopOther()).json()) as object;
    expect(first).toMatchObject({ status: 'stopped' });
    expect(await (await stopOther()).json()).toEqual(first);
    expect(await client.expect('GET', '/v1/workspace')).toMatchObject({ status: 'active' });
  });

  it('serves the stop after other requests on one connection, in their order, and then closes it', async () => {
    const chunked = `POST /v1/workspace/resume HTTP/1.1\r\nHost: x\r\n${bearer}Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n`;
    const { body: rest } = await sendRaw(
      port,
      `${me()}${chunked}HEAD /readyz HTTP/1.1\r\nHost: x\r\n\r\n${stopRequest(bearer)}`,
    );
    const answers = rest.split('HTTP/1.1 ').slice(1);
    expect(answers.map((text) => text.slice(0, 3))).toEqual(['200', '503', '200']);
    expect(answers[2]).toContain('"status":"stopped"');
    expect(answers[2]).toMatch(/connection: close/i);
    await resume();
  });

  it('puts together a head that arrives byte by byte, and passes on one that ends early', async () => {
    const socket = connect(port, '127.0.0.1').setNoDelay();
    let answer = '';
    socket.on('data', (bytes) => (answer += bytes.toString()));
    for (const byte of stopRequest(bearer)) await new Promise((written) => socket.write(byte, written));
    await once(socket, 'close');
    expect(answer).toMatch(/^HTTP\/1\.1 200 /);
    await resume();
    const half = connect({ port, host: '127.0.0.1', allowHalfOpen: true });
    let refused = '';
    half.on('data', (bytes) => (refused += bytes.toString()));
    half.end('POST /v1/workspace/emer');
    await once(half, 'close');
    expect(refused).toMatch(/^HTTP\/1\.1 400 /);
  });

  it('passes large bodies on in both directions', async () => {
    const padding = 'x'.repeat(200_000);
    const { status, body } = await scene.stack.client.call<{ code: string }>('POST', '/v1/agents', { name: padding });
    expect([status, body.code]).toEqual([422, 'definition_invalid']);
    expect((await (await fetch(`${scene.stack.baseUrl}/v1/openapi.json`)).text()).length).toBeGreaterThan(100_000);
  });

  it('reads what a client still sends after its request was rejected, so that the response is not lost', async () => {
    const head = 'POST /v1/agents HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Type: application/json\r\n';
    const chunk = Buffer.alloc(50_000, ' ');
    const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true });
    let answer = '';
    socket.on('data', (bytes: Buffer) => (answer += bytes.toString()));
    const ended = once(socket, 'end');
    socket.write(`${head}Content-Length: ${20 * chunk.length}\r\n\r\n`);
    await ended;
    // A server that has closed the connection responds to further bytes with a reset. The next write then fails.
    for (let sent = 0; sent < 20; sent++)
      await new Promise<void>((resolve, reject) => socket.write(chunk, (error) => (error ? reject(error) : resolve())));
    socket.end();
    await once(socket, 'close');
    expect(answer).toMatch(/^HTTP\/1.1 401 [^]*"code":"missing_api_key"[^]*}$/);
  });

  it('stops, and reports an unhealthy process, while the main thread is blocked; other requests wait for it', async () => {
    const { client, baseUrl, api } = scene.stack;
    await client.expect('GET', '/v1/me');
    await block(api);
    let isBlocked = true;
    const waiting = client.call('GET', '/v1/me').then((answer) => {
      isBlocked = false;
      return answer.status;
    });
    expect(await client.expect('POST', STOP, {})).toMatchObject({ status: 'stopped' });
    await eventually(async () => {
      const health = await fetch(`${baseUrl}/healthz`);
      expect([health.status, await health.json()]).toMatchObject([503, { code: 'unavailable' }]);
    });
    expect(isBlocked).toBe(true);
    expect(await waiting).toBe(200);
    await eventually(async () => expect((await fetch(`${baseUrl}/healthz`)).status).toBe(200));
    await resume();
  });

  it('counts in the metrics of the process what it has answered', async () => {
    const text = await (await fetch(`${scene.stack.baseUrl}/metrics`)).text();
    expect(text).toMatch(
      /aas_http_request_seconds_count\{method="POST",route="\/v1\/workspace\/emergency-stop",status="200"\} [1-9]/,
    );
    expect(text).toMatch(/aas_http_request_seconds_count\{method="GET",route="\/v1\/me",status="200"\} [1-9]/);
    expect(text).toMatch(/^aas_emergency_stop_seconds_count [1-9]/m);
    const types = [...text.matchAll(/^# TYPE (\S+)/gm)].map(([, name]) => name);
    expect(new Set(types).size).toBe(types.length);
  });

  it('is started again when it crashes, on the same port', async () => {
    const { stack } = scene;
    await stack.startApi({ NODE_OPTIONS: `--import ${preloaded('end-thread.mjs')}` });
    const { api, client } = stack;
    api.signal('SIGUSR2');
    await api.until(() => Promise.resolve(api.log().includes('stop listener: restarting')), 'another thread');
    await eventually(async () => expect(await client.expect('POST', STOP, {})).toMatchObject({ status: 'stopped' }), {
      within: 60_000,
    });
    await resume();
  });
});

import { once } from 'node:events';
import { readFile, writeFile } from 'node:fs/promises';
import { type AddressInfo, connect, createServer } from 'node:net';
import { join } from 'node:path';
import { preloading } from '../faults/preloading.js';
import type { Program } from '../support/program.js';
import { aPerson } from '../support/people.js';
import { sendRaw } from '../support/raw-http.js';
import { AgentAutomation } from '../../packages/sdk/src/index.js';
import { ApiClient } from '../support/api-client.js';
import { CommandLine } from '../support/command-line.js';
import { type LoneScene, Scene } from '../support/scene.js';
import { newWorkspace } from '../support/new-workspace.js';
import { eventually } from '../support/eventually.js';

const STOP = '/v1/workspace/emergency-stop';
const BLOCK_MS = 6_000;

/** Blocks the main thread of the program for {@link BLOCK_MS}. */
async function block(program: Program): Promise<void> {
  const before = program.log().split('blocking').length;
  program.signal('SIGUSR2');
  await program.until(() => Promise.resolve(program.log().split('blocking').length > before), 'the block');
}

describe('the listener of the emergency stop', () => {
  let scene: LoneScene;
  let port: number;
  let stopUrl: string;
  let atStopPort: ApiClient;
  let bearer: string;

  beforeAll(async () => {
    scene = await Scene.alone({
      why: 'blocks the API',
      workers: 0,
      env: {
        STOP_PORT: '0',
        API_STALL_LIMIT_MS: '1000',
        ...preloading(['block.mjs', 'end-thread.mjs'], { BLOCK_MS: String(BLOCK_MS) }),
      },
    });
    stopUrl = await scene.stack.stopUrl();
    port = Number(new URL(stopUrl).port);
    atStopPort = new ApiClient(() => stopUrl, scene.stack.adminKey);
    bearer = `Authorization: Bearer ${scene.stack.adminKey}\r\n`;
  });
  afterAll(() => scene.stop());

  const resume = () => scene.stack.client.expect('POST', '/v1/workspace/resume', {});
  const stopRequest = (headers = '', body = '') =>
    `POST ${STOP} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n${headers}Content-Length: ${body.length}\r\n\r\n${body}`;

  it('answers as the api does: keys, roles, bodies, methods, request ids', async () => {
    const { client } = scene.stack;
    const answer = await atStopPort.call<{ code?: string; errors?: unknown }>('POST', STOP, { raeson: 'x' });
    expect(answer).toMatchObject({ status: 400, body: { code: 'invalid_request', errors: [{ pointer: '/raeson' }] } });
    expect(answer.headers.get('content-type')).toBe('application/problem+json');
    const own = await atStopPort.call('POST', STOP, undefined, { 'x-request-id': 'mine' });
    expect(own.headers.get('x-request-id')).toBe('mine');
    const unknown = await sendRaw(port, stopRequest('Authorization: Bearer aas_live_x\r\n'));
    expect([unknown.status, JSON.parse(unknown.body)]).toMatchObject([401, { code: 'invalid_api_key' }]);
    expect((await sendRaw(port, stopRequest())).status).toBe(401);
    const { key } = await aPerson(scene.stack, 'viewer@example.com', { role: 'viewer' });
    const refused = await new ApiClient(() => stopUrl, key).call('POST', STOP);
    expect(refused).toMatchObject({ status: 403, body: { code: 'admin_required' } });
    expect((await sendRaw(port, stopRequest(`${bearer}Content-Type: application/json\r\n`, '{'))).status).toBe(400);
    const large = 'x'.repeat(1024 * 1024 + 1);
    expect((await sendRaw(port, stopRequest(`${bearer}Content-Type: application/json\r\n`, large))).status).toBe(413);
    expect(await atStopPort.call('GET', STOP)).toMatchObject({ status: 405 });
    expect(await atStopPort.call('GET', '/v1/me')).toMatchObject({ status: 404 });
    const trail = await client.expect<{ data: { action: string; actor: string }[] }>('GET', '/v1/audit-events?limit=5');
    expect(trail.data).toContainEqual(
      expect.objectContaining({ action: 'workspace.stop_refused', actor: 'viewer@example.com' }),
    );
    await resume();
  });

  it('stops the workspace of the key and no other, and repeats the same answer', async () => {
    const { client, databaseUrl } = scene.stack;
    const other = await newWorkspace(databaseUrl);
    const stopOther = () =>
      fetch(`${stopUrl}${STOP}`, {
        method: 'POST',
        headers: { authorization: `Bearer ${other.key}`, 'idempotency-key': 'once' },
      });
    const first = (await (await stopOther()).json()) as object;
    expect(first).toMatchObject({ status: 'stopped' });
    expect(await (await stopOther()).json()).toEqual(first);
    expect(await client.expect('GET', '/v1/workspace')).toMatchObject({ status: 'active' });
  });

  it('reads what a client still sends after its request was rejected, so that the response is not lost', async () => {
    const head = 'POST /v1/agents HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Type: application/json\r\n';
    const chunk = Buffer.alloc(50_000, ' ');
    const mainPort = Number(new URL(scene.stack.baseUrl).port);
    const socket = connect({ port: mainPort, host: '127.0.0.1', allowHalfOpen: true });
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
    const { client, api } = scene.stack;
    await client.expect('GET', '/v1/me');
    await block(api);
    let isBlocked = true;
    const waiting = client.call('GET', '/v1/me').then((answer) => {
      isBlocked = false;
      return answer.status;
    });
    expect(await atStopPort.expect('POST', STOP, {})).toMatchObject({ status: 'stopped' });
    await eventually(async () => {
      const health = await fetch(`${stopUrl}/healthz`);
      expect([health.status, await health.json()]).toMatchObject([503, { code: 'unavailable' }]);
    });
    expect(isBlocked).toBe(true);
    expect(await waiting).toBe(200);
    await eventually(async () => expect((await fetch(`${stopUrl}/healthz`)).status).toBe(200));
    await resume();
  });

  it('gets the stop of the SDK and of the CLI while the first port does not respond', async () => {
    const { adminKey, baseUrl } = scene.stack;
    const silent = createServer().listen(0, '127.0.0.1');
    await once(silent, 'listening');
    const silentUrl = `http://127.0.0.1:${(silent.address() as AddressInfo).port}`;
    const aas = new AgentAutomation({ apiKey: adminKey, baseUrl: silentUrl, stopUrl });
    expect(await aas.workspace.stop()).toMatchObject({ status: 'stopped' });
    await resume();
    const computer = await CommandLine.open();
    await computer.run(['login', baseUrl, '--with-key', '--name', 'here'], { input: adminKey });
    const file = join(computer.home, '.config/aas/contexts.json');
    const stored = await readFile(file, 'utf8');
    expect(JSON.parse(stored)).toMatchObject({ contexts: { here: { address: baseUrl, stop_url: stopUrl } } });
    await writeFile(file, stored.replace(baseUrl, silentUrl));
    expect(await computer.json(['stop'])).toMatchObject({ status: 'stopped' });
    await resume();
    await computer.close();
    silent.close();
  });

  it('permits the console to use it with a session, and no other page', async () => {
    const { baseUrl } = scene.stack;
    const ask = (origin: string) =>
      fetch(`${stopUrl}${STOP}`, {
        method: 'OPTIONS',
        headers: { origin, 'access-control-request-method': 'POST', 'access-control-request-headers': 'content-type' },
      });
    const own = (await ask(baseUrl)).headers;
    expect(own.get('access-control-allow-origin')).toBe(baseUrl);
    expect(own.get('access-control-allow-credentials')).toBe('true');
    for (const origin of ['http://127.0.0.1:1', 'http://evil.example', 'null'])
      expect((await ask(origin)).headers.get('access-control-allow-origin')).toBeNull();
    const signIn = await fetch(`${baseUrl}/auth/key`, {
      method: 'POST',
      headers: { origin: baseUrl, 'content-type': 'application/json' },
      body: JSON.stringify({ api_key: scene.stack.adminKey }),
    });
    const cookie = signIn.headers.getSetCookie()[0]?.split(';')[0] ?? '';
    const stop = (origin: string, site: string) =>
      fetch(`${stopUrl}${STOP}`, {
        method: 'POST',
        headers: { cookie, origin, 'sec-fetch-site': site, 'content-type': 'application/json' },
        body: '{}',
      });
    const foreign = await stop('http://127.0.0.1:1', 'same-site');
    expect([foreign.status, await foreign.json()]).toMatchObject([403, { code: 'cross_site' }]);
    expect((await stop(baseUrl, 'same-site')).status).toBe(200);
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
    const { api } = scene.stack;
    api.signal('SIGWINCH');
    await api.until(() => Promise.resolve(api.log().includes('stop listener: restarting')), 'another thread');
    await eventually(
      async () => expect(await atStopPort.expect('POST', STOP, {})).toMatchObject({ status: 'stopped' }),
      {
        within: 60_000,
      },
    );
    await resume();
  });
});

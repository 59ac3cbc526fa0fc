import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { eventually } from '../support/eventually.js';
import { freePort } from '../support/free-port.js';
import { createTestDatabase } from '../support/postgres.js';
import { Program } from '../support/program.js';
import { endAll } from '../support/scene.js';

/** Listens on a port and forwards connections to a database. Before this call, connections to the port fail. */
async function openForwarder(port: number, database: URL): Promise<() => Promise<void>> {
  const server = createServer((socket) => {
    const target = connect(Number(database.port || 5432), database.hostname);
    const close = (): void => void [socket, target].map((each) => each.destroy());
    for (const each of [socket, target]) each.on('error', close).on('close', close);
    socket.pipe(target).pipe(socket);
  }).listen(port, '127.0.0.1');
  await once(server, 'listening');
  return async () => {
    server.close();
    await once(server, 'close');
  };
}

async function aFolder(ends: (() => Promise<void>)[]): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'aas-startup-'));
  ends.push(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

describe('an api whose second port is taken', () => {
  const ends: (() => Promise<void>)[] = [];
  afterAll(() => endAll(ends));

  it('ends, and names the setting', async () => {
    const database = await createTestDatabase();
    ends.push(() => database.drop());
    const [port, taken] = [await freePort(), await freePort()];
    const other = createServer().listen(taken, '127.0.0.1');
    await once(other, 'listening');
    ends.unshift(async () => {
      other.close();
      await once(other, 'close');
    });
    const environment = {
      HOST: '127.0.0.1',
      DATABASE_URL: database.url,
      ENCRYPTION_KEY: randomBytes(32).toString('base64'),
      DATA_DIR: await aFolder(ends),
      PORT: String(port),
      STOP_PORT: String(taken),
    };
    const api = Program.start({ name: 'api', app: 'api', environment });
    await eventually(() => expect(api.exit).toBe('exit 1'), { within: 60_000 });
    expect(api.log()).toContain(`cannot listen on STOP_PORT, 127.0.0.1:${taken}: listen EADDRINUSE`);
  });
});

describe('api and worker that start while Postgres is out of reach', () => {
  const ends: (() => Promise<void>)[] = [];
  afterAll(() => endAll(ends));

  it('wait for it: they are alive and say what is missing, and work as soon as it answers', async () => {
    const database = await createTestDatabase();
    ends.push(() => database.drop());
    const [databasePort, port, workerPort] = [await freePort(), await freePort(), await freePort()];
    const url = new URL(database.url);
    const target = new URL(database.url);
    url.hostname = '127.0.0.1';
    url.port = String(databasePort);
    const environment = {
      HOST: '127.0.0.1',
      DATABASE_URL: url.href,
      ENCRYPTION_KEY: randomBytes(32).toString('base64'),
      DATA_DIR: await aFolder(ends),
      WORKER_LEASE_MS: '1500',
      PORT: String(port),
      STOP_PORT: 'off',
      WORKER_PORT: String(workerPort),
    };
    const programs = (['api', 'worker'] as const).map((app) => Program.start({ name: app, app, environment }));
    ends.push(async () => {
      await Promise.all(programs.map((program) => program.stop()));
    });
    const [api, worker] = programs as [Program, Program];
    const answer = (at: number, path: string) => fetch(`http://127.0.0.1:${at}${path}`);
    for (const [program, at] of [
      [api, port],
      [worker, workerPort],
    ] as const) {
      await program.until(async () => (await answer(at, '/healthz')).ok, 'an answer of /healthz');
      const ready = await answer(at, '/readyz');
      expect(ready.status).toBe(503);
      expect(await ready.json()).toMatchObject({
        code: 'unavailable',
        detail: expect.stringMatching(/Postgres does not respond.*ECONNREFUSED/),
        missing: [{ part: 'database' }],
      });
    }

    // The programs use the forwarder, so it is closed after them.
    ends.unshift(await openForwarder(databasePort, target));
    await worker.until(async () => worker.log().includes('worker: started'), 'its lease');
    await api.until(async () => (await answer(port, '/readyz')).ok, 'a 200 of /readyz');
    expect(programs.map((program) => program.exit)).toEqual([undefined, undefined]);
    for (const program of programs) expect(program.log()).toContain('startup: Postgres does not respond; retrying');
  });
});

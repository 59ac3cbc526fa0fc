import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { preloading } from '../faults/preloading.js';
import { ApiClient } from '../support/api-client.js';
import { eventually } from '../support/eventually.js';
import { freePort } from '../support/free-port.js';
import { Ledger } from '../support/ledger.js';
import { aToolAgent } from '../support/tool-agents.js';

const ROOT = join(import.meta.dirname, '..', '..');
/** How long the main thread of the API is blocked, in milliseconds. */
const BLOCK_MS = 30_000;
const RUNS = 100;

describe('the service of npm start', () => {
  let folder: string;
  let ledger: Ledger;
  let service: ChildProcess;
  let output = '';
  let client: ApiClient;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'standalone-'));
    ledger = await Ledger.start();
    const port = await freePort();
    const address = `http://127.0.0.1:${port}`;
    service = spawn('npm', ['start', '--', '--no-sample'], {
      cwd: ROOT,
      env: {
        PATH: process.env.PATH,
        HOME: process.env.HOME,
        DATA_DIR: folder,
        PORT: String(port),
        EGRESS_ALLOW: ledger.egressEntry,
        ...preloading('block.mjs', { BLOCK_MS: String(BLOCK_MS) }),
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    for (const stream of [service.stdout, service.stderr]) stream?.on('data', (bytes) => (output += String(bytes)));
    await eventually(
      async () => {
        if (service.exitCode !== null) throw new Error(`It ended:\n${output}`);
        expect((await fetch(`${address}/readyz`)).status).toBe(200);
      },
      { within: 110_000 },
    );
    const key = (await readFile(join(folder, 'admin.key'), 'utf8')).trim();
    client = new ApiClient(() => address, key);
  });

  afterAll(async () => {
    if (service.exitCode === null) {
      const ended = once(service, 'exit');
      service.kill('SIGTERM');
      await ended;
    }
    await ledger.close();
    await rm(folder, { recursive: true, force: true });
  });

  const pidOf = async (name: string): Promise<number> => {
    const record = JSON.parse(await readFile(join(folder, 'standalone.json'), 'utf8')) as {
      services: { name: string; pid: number }[];
    };
    const found = record.services.find((each) => each.name === name);
    if (!found) throw new Error(`No ${name} runs.`);
    return found.pid;
  };

  it('stops while the main thread of its api is blocked, and no call begins after the answer', async () => {
    const agent = await client.createAgent(
      aToolAgent('busy', ledger.url, [
        ['read', '/a'],
        ['read', '/b'],
      ]),
    );
    for (const path of ['/a', '/b']) ledger.always(path, { delayMillis: 50 });
    const { stop_port: port } = await client.expect<{ stop_port: number }>('GET', '/healthz');
    const atStopPort = new ApiClient(() => `http://127.0.0.1:${port}`, client.key);
    const runs = await Promise.all(Array.from({ length: RUNS }, () => client.startRun(agent)));
    await ledger.called('/a', 5);
    process.kill(await pidOf('api'), 'SIGUSR2');
    await eventually(() => expect(output).toContain('blocking'));
    let answered = false;
    const waiting = client
      .call('GET', '/v1/me')
      .catch(() => undefined)
      .finally(() => (answered = true));
    const stopped = await atStopPort.expect<{ runs: { queued: number } }>('POST', '/v1/workspace/emergency-stop', {});
    const answeredAt = Date.now();
    expect(answered).toBe(false);
    expect(stopped).toMatchObject({ status: 'stopped', in_flight: [] });
    expect(stopped.runs.queued).toBeGreaterThan(0);

    await waiting;
    await eventually(async () => expect(await client.expect('GET', '/v1/me')).toBeDefined());
    expect(ledger.calls.filter(({ at }) => at > answeredAt)).toEqual([]);
    await client.expect('POST', '/v1/workspace/resume', {});
    for (const { id } of runs) {
      await eventually(async () => expect((await client.run(id)).status).toBe('succeeded'));
    }
  });

  it('stops in order, with its database, before npm ends, after the reader of its output has ended', async () => {
    const api = await pidOf('api');
    const ended = once(service, 'exit');
    service.stdout?.destroy();
    service.kill('SIGTERM');
    expect(await ended).toEqual([0, null]);
    expect(() => process.kill(api, 0)).toThrow('ESRCH');
    await expect(readFile(join(folder, 'postgres', 'cluster', 'postmaster.pid'))).rejects.toMatchObject({
      code: 'ENOENT',
    });
  });
});

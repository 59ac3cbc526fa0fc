import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { type CompiledFolder, compileFolder } from '../../../../test/support/compiled.js';
import { eventually } from '../../../../test/support/eventually.js';
import { type PoolSettings, ProcessPool } from './process-pool.js';
import type { GreedyRequest } from './testing/greedy-program.js';

interface Echo {
  bytes: Uint8Array;
  pid: number;
}

/** Errors of the permission model of Node.js: of a denied resource, and of native addons. */
const DENIED = /^ERR_(ACCESS_DENIED|DLOPEN_DISABLED)$/;

/** A process that has ended can remain as a zombie (state Z) until its parent reads its status. */
function isRunning(pid: number): boolean {
  try {
    return !execFileSync('ps', ['-o', 'stat=', '-p', String(pid)], { encoding: 'utf8' }).startsWith('Z');
  } catch {
    return false;
  }
}

describe('a pool of processes for untrusted data', () => {
  let code: CompiledFolder;
  const pools: ProcessPool<GreedyRequest, unknown>[] = [];

  beforeAll(async () => {
    code = await compileFolder('libs/platform/src/sandbox');
  });
  afterEach(() => pools.splice(0).forEach((pool) => pool.close()));
  afterAll(() => code.remove());

  const program = (): string => join(code.directory, 'testing', 'greedy-program.js');
  const aPool = (settings: Partial<PoolSettings> = {}): ProcessPool<GreedyRequest, unknown> => {
    const pool = new ProcessPool<GreedyRequest, unknown>({
      host: join(code.directory, 'process-host.js'),
      program: program(),
      processes: 1,
      heapMegabytes: 64,
      totalMegabytes: 400,
      cpuMillis: 2_000,
      millis: 60_000,
      ...settings,
    });
    pools.push(pool);
    return pool;
  };
  const echo = async (pool: ProcessPool<GreedyRequest, unknown>, byte = 1): Promise<Echo> =>
    (await pool.handle({ does: 'echo', bytes: Buffer.alloc(100_000, byte) })) as Echo;

  it('answers each of many requests, one at a time in each process', async () => {
    const pool = aPool({ processes: 2 });
    const replies = await Promise.all(Array.from({ length: 20 }, (_, n) => echo(pool, n)));
    expect(replies.map(({ bytes }) => [bytes[0], bytes.length])).toEqual(
      Array.from({ length: 20 }, (_, n) => [n, 100_000]),
    );
    expect(new Set(replies.map(({ pid }) => pid)).size).toBe(2);
    expect(replies.map(({ pid }) => pid)).not.toContain(process.pid);
  });

  it.each([
    ['computes forever', 'loop', 'time'],
    ['fills the heap', 'fill-heap', 'memory'],
    ['fills buffers outside of the heap', 'fill-buffers', 'memory'],
    ['ends the process', 'exit', 'crashed'],
    ['throws an uncaught exception', 'throw-later', 'crashed'],
  ] as const)('refuses a request that %s, and answers the next one', async (_, does, limit) => {
    // A machine that is short of memory needs much CPU time to fill it.
    const pool = aPool(limit === 'memory' ? { cpuMillis: 30_000 } : {});
    await expect(pool.handle({ does })).rejects.toMatchObject({ name: 'SandboxLimitExceeded', limit });
    expect((await echo(pool)).bytes).toHaveLength(100_000);
  });

  it('ends a request that waits without computing', async () => {
    await expect(aPool({ millis: 1_000 }).handle({ does: 'wait' })).rejects.toMatchObject({ limit: 'time' });
  });

  it('measures the CPU time of each request separately', async () => {
    const pool = aPool({ cpuMillis: 500 });
    const { pid } = await echo(pool);
    for (let n = 0; n < 200; n += 1) expect((await echo(pool)).pid).toBe(pid);
  });

  it('rejects with the error that the module throws', async () => {
    const expected = { name: 'TypeError', code: 'EUNFIT', message: 'unfit' };
    await expect(aPool().handle({ does: 'throw' })).rejects.toMatchObject(expected);
  });

  it('retries the request when its process is killed, and refuses it after the second kill', async () => {
    const note = join(code.directory, 'pids');
    const refused = expect(aPool({ folder: code.directory }).handle({ does: 'wait', note })).rejects.toMatchObject({
      limit: 'memory',
    });
    for (const tries of [1, 2]) {
      const pids = await eventually(async () => {
        const lines = (await readFile(note, 'utf8')).trim().split('\n');
        expect(lines).toHaveLength(tries);
        return lines;
      });
      process.kill(Number(pids.at(-1)), 'SIGKILL');
    }
    await refused;
  });

  it('survives the signals that a terminal sends to a process group', async () => {
    const pool = aPool();
    const { pid } = await echo(pool);
    process.kill(pid, 'SIGINT');
    process.kill(pid, 'SIGTERM');
    expect((await echo(pool)).pid).toBe(pid);
  });

  it('starts its processes with an empty environment', async () => {
    expect(await aPool().handle({ does: 'environment' })).toEqual([]);
  });

  it.each(['read-file', 'write-file', 'start-process', 'start-thread', 'load-addon'] as const)(
    'does not allow its processes to %s',
    async (does) => {
      const outside = await mkdtemp(join(tmpdir(), 'outside-'));
      const note = join(outside, 'encryption.key');
      await writeFile(note, 'secret');
      await expect(aPool().handle({ does, note })).rejects.toMatchObject({ code: expect.stringMatching(DENIED) });
      expect(await readFile(note, 'utf8')).toBe('secret');
      await rm(outside, { recursive: true });
    },
  );

  it('ends its processes when the service is killed, even in an endless loop', async () => {
    const settings = { program: program(), processes: 1, heapMegabytes: 64, totalMegabytes: 400, cpuMillis: 600_000 };
    const pool = JSON.stringify({ ...settings, millis: 600_000 });
    const script = `const { ProcessPool } = await import(process.argv[1]);
      const pool = new ProcessPool(${pool});
      console.log((await pool.handle({ does: 'echo' })).pid);
      await pool.handle({ does: 'loop' });`;
    const file = pathToFileURL(join(code.directory, 'process-pool.js')).href;
    const service = spawn(process.execPath, ['--input-type=module', '-e', script, file]);
    const [line] = (await once(service.stdout, 'data')) as [Buffer];
    const pid = Number(line.toString());
    expect(isRunning(pid)).toBe(true);
    service.kill('SIGKILL');
    await eventually(() => expect(isRunning(pid)).toBe(false));
  });

  it('reports a module that cannot be loaded as SandboxUnavailable', async () => {
    const pool = aPool({ program: join(code.directory, 'missing.js') });
    await expect(pool.handle({ does: 'echo' })).rejects.toMatchObject({ name: 'SandboxUnavailable' });
  });

  it('stops waiting for a process when the signal aborts, and serves the next request', async () => {
    const pool = aPool();
    const first = expect(pool.handle({ does: 'loop' })).rejects.toMatchObject({ limit: 'time' });
    const leaving = new AbortController();
    const second = expect(pool.handle({ does: 'echo' }, leaving.signal)).rejects.toBe('left');
    const third = echo(pool);
    leaving.abort('left');
    await second;
    await first;
    expect((await third).bytes).toHaveLength(100_000);
  });

  it('rejects requests in progress when it is closed', async () => {
    const pool = aPool();
    await echo(pool);
    const waiting = expect(pool.handle({ does: 'wait' })).rejects.toMatchObject({ name: 'SandboxUnavailable' });
    pool.close();
    await waiting;
  });
});

import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmod, chown, mkdir, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { Client } from 'pg';

import { type CompiledFolder, compileFolder } from '../../../test/support/compiled.js';
import { eventually } from '../../../test/support/eventually.js';
import { type EmbeddedPostgres, findEmbeddedPostgres, startEmbeddedPostgres } from './embedded-postgres.js';
import { currentPlace } from './postgres/data-place.js';

const AS_ROOT = process.getuid?.() === 0;
const NOBODY = 65_534;
/**
 * Whether the tests run as root, and other accounts can enter the checkout and start this Node. Otherwise, for example
 * in a private folder of root, the tests that use another account are skipped.
 */
const OPEN_CHECKOUT =
  AS_ROOT &&
  spawnSync(process.execPath, ['-e', 'process.chdir(process.argv[1])', import.meta.dirname], { uid: NOBODY, cwd: '/' })
    .status === 0;

async function query(url: string, sql: string): Promise<Record<string, unknown>[]> {
  const client = new Client({ connectionString: url });
  client.on('error', () => undefined);
  await client.connect();
  try {
    return (await client.query<Record<string, unknown>>(sql)).rows;
  } finally {
    await client.end();
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

describe('the embedded PostgreSQL', () => {
  let base: string;
  let dataDir: string;
  let compiled: CompiledFolder;
  let lines: string[];
  const running = new Set<EmbeddedPostgres>();

  async function start(directory = dataDir): Promise<EmbeddedPostgres> {
    const postgres = await startEmbeddedPostgres({ dataDir: directory, fsync: false, log: (line) => lines.push(line) });
    running.add(postgres);
    return postgres;
  }

  async function serverPid(directory = dataDir): Promise<number> {
    const place = await currentPlace(directory);
    return Number((await readFile(join(place.directory, 'cluster', 'postmaster.pid'), 'utf8')).split('\n')[0]);
  }

  /** Starts the database from another process. Returns the pid of that process when the server is ready. */
  async function startByAnotherProcess(account: { uid?: number; gid?: number } = {}): Promise<number> {
    const program = `
      const { startEmbeddedPostgres } = await import(${JSON.stringify(join(compiled.directory, 'embedded-postgres.js'))});
      const log = (line) => console.error(line);
      await startEmbeddedPostgres({ dataDir: ${JSON.stringify(dataDir)}, fsync: false, log });
      console.log('serving');
      setInterval(() => undefined, 1000);`;
    const child = spawn(process.execPath, ['--input-type=module', '-e', program], {
      ...account,
      cwd: '/',
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    await Promise.race([once(child.stdout, 'data'), once(child, 'exit')]);
    if (child.exitCode !== null || child.pid === undefined)
      throw new Error('The other process did not start a server.');
    return child.pid;
  }

  beforeAll(async () => {
    compiled = await compileFolder('apps/standalone/src');
  });

  beforeEach(async () => {
    lines = [];
    // If the tests run as root, PostgreSQL runs under another account. This account may be unable to access TMPDIR.
    base = await mkdtemp(join(AS_ROOT ? '/var/tmp' : tmpdir(), 'embedded-postgres-'));
    await chmod(base, 0o755);
    dataDir = join(base, 'postgres');
  });

  afterEach(async () => {
    for (const postgres of running) await postgres.stop();
    running.clear();
    await rm(base, { recursive: true, force: true });
  });

  afterAll(() => compiled.remove());

  it('keeps data and port over a stop and a start', async () => {
    const first = await start();
    await query(first.url, 'CREATE TABLE kept AS SELECT 42 AS answer');
    await first.stop();
    const second = await start();
    expect(second.url).toBe(first.url);
    expect(await query(second.url, 'SELECT answer FROM kept')).toEqual([{ answer: 42 }]);
  });

  it('listens on the loopback address only, asks for a password and stores text as UTF-8', async () => {
    const { url } = await start();
    const settings = "SELECT current_setting('listen_addresses') l, current_setting('unix_socket_directories') u";
    expect(await query(url, settings)).toEqual([{ l: '127.0.0.1', u: '' }]);
    expect(await query(url, "SELECT lower('ÄÖÜ') AS small, to_tsvector('simple', 'ÄRGER')::text AS word")).toEqual([
      { small: 'äöü', word: "'ärger':1" },
    ]);
    const wrong = new URL(url);
    wrong.password = 'wrong';
    await expect(query(wrong.href, 'SELECT 1')).rejects.toMatchObject({ code: '28P01' });
  });

  it('lives on when its owner is killed, and the next start attaches to it', async () => {
    const owner = await startByAnotherProcess();
    const server = await serverPid();
    process.kill(owner, 'SIGKILL');
    await eventually(() => expect(isAlive(owner)).toBe(false));
    const attached = await start();
    expect(await serverPid()).toBe(server);
    expect(lines).toContainEqual(expect.stringContaining(`process ${server}`));
    expect(await findEmbeddedPostgres(dataDir)).toBe(attached.url);
    await attached.stop();
    await eventually(() => expect(isAlive(server)).toBe(false));
    expect(await findEmbeddedPostgres(dataDir)).toBeUndefined();
  });

  it('starts again at once after the server itself was killed, with every committed row', async () => {
    const first = await start();
    await query(first.url, 'CREATE TABLE kept AS SELECT generate_series(1, 1000)');
    process.kill(await serverPid(), 'SIGKILL');
    const second = await start();
    expect(await query(second.url, 'SELECT count(*)::integer AS rows FROM kept')).toEqual([{ rows: 1000 }]);
  });

  it('is started again by its living owner when it is killed, on the same port', async () => {
    const postgres = await start();
    postgres.supervise();
    const killed = await serverPid();
    process.kill(killed, 'SIGKILL');
    const [row] = await eventually(() => query(postgres.url, 'SELECT 1 AS one'));
    expect(row).toEqual({ one: 1 });
    expect(await serverPid()).not.toBe(killed);
    expect(lines).toContainEqual(expect.stringContaining('restarting it'));
  });

  it('overcomes a pid file whose number now belongs to another living process', async () => {
    const first = await start();
    await first.stop();
    const stranger = AS_ROOT ? spawn('sleep', ['60'], await ownerOf(dataDir)) : spawn('sleep', ['60']);
    try {
      const file = join(dataDir, 'cluster', 'postmaster.pid');
      const port = new URL(first.url).port;
      await writeFile(
        file,
        `${stranger.pid}\n${dataDir}/cluster\n1700000000\n${port}\n\n127.0.0.1\n  1  1\nready   \n`,
      );
      const owner = await ownerOf(dataDir);
      if (AS_ROOT) await chown(file, owner.uid, owner.gid);
      const second = await start();
      expect(await query(second.url, 'SELECT 1 AS one')).toEqual([{ one: 1 }]);
      expect(isAlive(stranger.pid ?? 0)).toBe(true);
    } finally {
      stranger.kill('SIGKILL');
    }
  });

  it('names the upgrade when the data are of an earlier major version, and the release when they are of a later one', async () => {
    const first = await start();
    await first.stop();
    running.delete(first);
    const file = join(dataDir, 'cluster', 'PG_VERSION');
    const present = Number(await readFile(file, 'utf8'));
    await writeFile(file, `${present - 1}\n`);
    await expect(start()).rejects.toThrow('Run "npm run upgrade-database"');
    await writeFile(file, `${present + 1}\n`);
    await expect(start()).rejects.toThrow('Use the release that created it');
  });

  it('chooses another port when its own was taken meanwhile, and keeps that one', async () => {
    const first = await start();
    await first.stop();
    const other = join(base, 'other');
    await mkdir(other);
    const usurper = await startEmbeddedPostgres({
      dataDir: other,
      port: Number(new URL(first.url).port),
      fsync: false,
      log: (line) => lines.push(line),
    });
    running.add(usurper);
    const second = await start();
    expect(new URL(second.url).port).not.toBe(new URL(first.url).port);
    expect(await query(second.url, 'SELECT 1 AS one')).toEqual([{ one: 1 }]);
  });

  it('serves data below a folder that only its owner can enter', async () => {
    await chmod(base, 0o700);
    try {
      const first = await start();
      await query(first.url, 'CREATE TABLE kept AS SELECT 42 AS answer');
      await first.stop();
      const second = await start();
      expect(await query(second.url, 'SELECT answer FROM kept')).toEqual([{ answer: 42 }]);
      const { directory } = await currentPlace(dataDir);
      expect(lines.filter((line) => line.includes(directory))).toHaveLength(AS_ROOT ? 1 : 0);
    } finally {
      for (const postgres of running) await postgres.stop();
      const { directory } = await currentPlace(dataDir);
      if (directory !== dataDir) await rm(directory, { recursive: true, force: true });
    }
  });

  (OPEN_CHECKOUT ? it : it.skip)('runs for an ordinary user, and root takes the data over as that user', async () => {
    await mkdir(dataDir);
    await chown(dataDir, NOBODY, NOBODY);
    const owner = await startByAnotherProcess({ uid: NOBODY, gid: NOBODY });
    process.kill(owner, 'SIGKILL');
    const asRoot = await start();
    await asRoot.stop();
    await start();
    expect(await ownerOf(join(dataDir, 'cluster'))).toEqual({ uid: NOBODY, gid: NOBODY });
    expect(await ownerOf(join(dataDir, 'port'))).toEqual({ uid: NOBODY, gid: NOBODY });
  });
});

async function ownerOf(path: string): Promise<{ uid: number; gid: number }> {
  const { uid, gid } = await stat(path);
  return { uid, gid };
}

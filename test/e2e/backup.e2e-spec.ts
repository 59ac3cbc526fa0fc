import { cp, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';

import { startEmbeddedPostgres } from '../../apps/standalone/src/embedded-postgres.js';
import { queryOnce } from '../../apps/standalone/src/postgres/connection.js';
import { ApiClient } from '../support/api-client.js';
import { eventually } from '../support/eventually.js';
import { freePort } from '../support/free-port.js';
import { LaunchedProcess, type ProcessOutcome } from '../support/launched-process.js';
import { Ledger } from '../support/ledger.js';
import { endAll } from '../support/scene.js';

const ROOT = join(import.meta.dirname, '..', '..');
const PROGRAMS = join(ROOT, 'dist', 'apps', 'standalone', 'src');
const SECRET = 'token-of-the-shop-9c1e';
const RUNS = 40;
/** Selects so many random rows that a backup of them takes seconds and can be killed before it ends. */
const BALLAST = 'select md5(random()::text) || md5(random()::text) as noise from generate_series(1, 2000000)';

/** Runs `npm start` and the backup commands with data directories of this test. */
describe('backup and restore of the embedded database', () => {
  const ends: (() => Promise<void>)[] = [];
  let folder: string;
  let ledger: Ledger;
  let port: number;
  let service: LaunchedProcess;
  let key: string;
  let agent: string;
  let ended: string;
  let started: string[] = [];

  const first = () => join(folder, 'first');
  const second = () => join(folder, 'second');
  const file = () => join(folder, 'monday.backup');
  const client = () => new ApiClient(() => `http://127.0.0.1:${port}`, key);

  const launch = (
    program: string,
    args: string[],
    dataDir: string,
    more: Record<string, string> = {},
  ): LaunchedProcess => {
    const env = { PATH: process.env.PATH, HOME: folder, DATA_DIR: dataDir, ...more };
    const launched = LaunchedProcess.start(process.execPath, [join(PROGRAMS, program), ...args], { cwd: ROOT, env });
    ends.push(async () => {
      await launched.stop('SIGKILL');
    });
    return launched;
  };
  const backup = (dataDir: string, ...args: string[]) => launch('commands/main.js', ['backup', ...args], dataDir);
  const restore = (dataDir: string, ...args: string[]) => launch('commands/main.js', ['restore', ...args], dataDir);

  async function start(dataDir: string): Promise<LaunchedProcess> {
    const more = { PORT: String(port), EGRESS_ALLOW: ledger.egressEntry };
    const launched = launch('main.js', ['--no-sample'], dataDir, more);
    await launched.says('Ctrl-C stops everything');
    return launched;
  }

  /** Returns the commands of an example in docs/backup.md. Its paths are replaced by paths of this test. */
  async function example(from: string, to: string): Promise<string> {
    const page = await readFile(join(ROOT, 'docs', 'backup.md'), 'utf8');
    const part = page.split(`<!-- example: ${from} -->`)[1]?.split(`<!-- example: ${to} -->`)[0];
    const commands = [...(part ?? '').matchAll(/```bash\n(.*?)```/gs)].map((block) => block[1]).join('\n');
    if (commands === '') throw new Error(`docs/backup.md has no example from ${from} to ${to}.`);
    return commands.replaceAll('monday.backup', file()).replaceAll('.data-2', second());
  }

  async function runExample(from: string, to: string, dataDir: string): Promise<ProcessOutcome> {
    const options = { cwd: ROOT, env: { ...process.env, DATA_DIR: dataDir } };
    return LaunchedProcess.start('bash', ['-euo', 'pipefail', '-c', await example(from, to)], options).ended;
  }

  const becomes = (run: string, status: string) =>
    eventually(async () => expect((await client().run(run)).status).toBe(status));

  async function query<Row extends object>(dataDir: string, sql: string): Promise<Row[]> {
    const postgres = await startEmbeddedPostgres({ dataDir: join(dataDir, 'postgres'), log: () => undefined });
    try {
      return await queryOnce<Row>(postgres.url, sql);
    } finally {
      await postgres.stop();
    }
  }

  /** Counts the runs. A failed restore must not change this number. */
  async function runsIn(dataDir: string): Promise<number> {
    const [row] = await query<{ runs: number }>(dataDir, 'select count(*)::integer as runs from runs');
    return row!.runs;
  }

  beforeAll(async () => {
    folder = await mkdtemp(join(process.getuid?.() === 0 ? '/var/tmp' : tmpdir(), 'backup-'));
    ends.push(() => rm(folder, { recursive: true, force: true }));
    ledger = await Ledger.start();
    ends.push(() => ledger.close());
    port = await freePort();
    service = await start(first());
    key = (await readFile(join(first(), 'admin.key'), 'utf8')).trim();
    await client().expect('PUT', '/v1/secrets/SHOP_TOKEN', { value: SECRET });
    agent = await client().createAgent({
      name: 'looks',
      tools: [
        {
          name: 'shop',
          type: 'http',
          base_url: ledger.url,
          auth: { type: 'bearer', token: '${{ secrets.SHOP_TOKEN }}' },
          operations: [{ name: 'look', method: 'GET', path: '/look' }],
        },
      ],
      steps: [
        { id: 'l', tool: 'shop.look' },
        { id: 'result', output: { echo: '${{ input }}' } },
      ],
    });
    ended = (await client().startRun(agent, { text: 'Ärger\t\\N 🚗' })).id;
    await becomes(ended, 'succeeded');
  });

  afterAll(() => endAll(ends));

  it('backs up a running service, as documented, without the encryption key', async () => {
    ledger.always('/look', { delayMillis: 200 });
    started = (await Promise.all(Array.from({ length: RUNS }, () => client().startRun(agent)))).map(({ id }) => id);
    const { code, output } = await runExample('backup', 'restore', first());
    expect([code, output]).toEqual([0, expect.stringMatching(/rows of \d+ tables were written.*keep encryption\.key/)]);
    const bytes = await readFile(file());
    for (const run of started) await becomes(run, 'succeeded');
    const [, header] = bytes.toString('latin1').split('\n');
    expect(JSON.parse(header ?? '')).toMatchObject({ includes_encryption_keys: false });
    const secretKey = (await readFile(join(first(), 'encryption.key'), 'utf8')).trim();
    const body = gunzipSync(bytes.subarray(bytes.indexOf('\n', bytes.indexOf('\n') + 1) + 1, -72)).toString('latin1');
    for (const hidden of [secretKey, SECRET, key]) expect(body).not.toContain(hidden);
    expect(body).toContain(ended);
  });

  it('refuses to overwrite a file, to restore into a running installation, and without the key', async () => {
    expect(await backup(first(), file()).ended).toMatchObject({ code: 1, output: expect.stringContaining('exists') });
    const running = await restore(first(), file(), '--replace').ended;
    expect(running).toMatchObject({ code: 1, output: expect.stringMatching(/already runs on .*Stop it first/) });
    const locked = await restore(second(), file()).ended;
    expect(locked).toMatchObject({
      code: 1,
      output: expect.stringMatching(/sealed with the key .*Copy the file encryption\.key/),
    });
    expect(await restore(second()).ended).toMatchObject({ code: 2 });
    await service.stop();
    const occupied = await restore(first(), file()).ended;
    expect(occupied).toMatchObject({ code: 1, output: expect.stringContaining('Add --replace') });
  });

  it('leaves the data as before when the restore is killed, wherever it is, and succeeds the next time', async () => {
    const before = await runsIn(first());
    expect(before).toBe(RUNS + 1);
    for (const stage of ['creating a database', 'creating the tables', 'loading', 'updating the schema', 'analyzing']) {
      const killed = restore(first(), file(), '--replace');
      await killed.says(`  ${stage}`);
      await killed.stop('SIGKILL');
      expect(await runsIn(first())).toBe(before);
    }
    const stopped = restore(first(), file(), '--replace');
    await stopped.says('  loading');
    const { code, output } = await stopped.stop('SIGTERM');
    expect([code, output]).toEqual([1, expect.stringContaining('Nothing was changed')]);
    expect(await runsIn(first())).toBe(before);
    const left = (await readdir(join(first(), 'postgres'))).filter((name) => name.startsWith('restored-'));
    expect(left).toEqual([]);

    const restored = await restore(first(), file(), '--replace').ended;
    expect(restored).toMatchObject({ code: 0, output: expect.stringContaining('--undo') });
    const restoredRuns = await runsIn(first());
    expect(restoredRuns).toBeGreaterThan(0);
    expect(await restore(first(), '--undo').ended).toMatchObject({ code: 0 });
    expect(await runsIn(first())).toBe(before);
  });

  it('makes no file when the backup is killed, and a whole one the next time', async () => {
    const other = join(folder, 'tuesday.backup');
    await query(first(), `create table ballast as ${BALLAST}`);
    const killed = backup(first(), other, '--with-encryption-key');
    await killed.says('  copying');
    await eventually(async () => expect(await readdir(folder)).toContain('tuesday.backup.partial'));
    await killed.stop('SIGKILL');
    expect(await readdir(folder)).toContain('tuesday.backup.partial');
    expect(await readdir(folder)).not.toContain('tuesday.backup');
    await query(first(), 'drop table ballast');
    const whole = await backup(first(), other, '--with-encryption-key').ended;
    expect(whole).toMatchObject({ code: 0, output: expect.stringContaining('contains the encryption key') });
    expect(await readdir(folder)).not.toContain('tuesday.backup.partial');
    expect(await runsIn(first())).toBe(RUNS + 1);
    // The new data directory is empty, so the backup file must contain everything that a restore needs.
    const third = join(folder, 'third');
    expect(await restore(third, other).ended).toMatchObject({ code: 0 });
    expect(await readFile(join(third, 'encryption.key'), 'utf8')).toBe(
      await readFile(join(first(), 'encryption.key'), 'utf8'),
    );
    expect(await runsIn(third)).toBe(RUNS + 1);
    const upgrade = (...args: string[]) => launch('commands/main.js', ['upgrade-database', ...args], third).ended;
    expect(await upgrade()).toMatchObject({ code: 0, output: expect.stringContaining('The database is up to date') });
    expect(await upgrade('--undo')).toMatchObject({ code: 1, output: expect.stringContaining('no former database') });
  });

  it('restores into an empty directory, as documented: runs, agents, secrets, keys and the audit log work', async () => {
    await mkdir(second(), { recursive: true });
    await cp(join(first(), 'encryption.key'), join(second(), 'encryption.key'));
    const { code, output } = await runExample('restore', 'end', first());
    expect([code, output]).toEqual([0, expect.stringContaining(`Restored into ${second()}`)]);
    service = await start(second());
    expect(service.output).toContain('npm run keys -- create --admin creates one');
    const trace = await client().trace(ended);
    expect(trace.steps.length).toBeGreaterThan(0);
    expect((await client().run(ended)).output).toEqual({ echo: { text: 'Ärger\t\\N 🚗' } });
    const { data } = await client().expect<{ data: { action: string }[] }>('GET', '/v1/audit-events');
    expect(data.map(({ action }) => action)).toContain('agent.create');
    // Runs that were in progress at the time of the backup continue, and new runs use the restored secret.
    const calls = ledger.callsOf('/look').length;
    const again = await client().startRun(agent);
    await becomes(again.id, 'succeeded');
    for (const run of started) {
      const found = await client().call<{ status: string }>('GET', `/v1/runs/${run}`);
      if (found.status === 200) await becomes(run, 'succeeded');
    }
    expect(ledger.callsOf('/look').length).toBeGreaterThan(calls);
    expect(ledger.callsOf('/look').at(-1)?.headers.authorization).toBe(`Bearer ${SECRET}`);
    await service.stop();
  });

  it('refuses a file that was changed or cut, and keeps the data', async () => {
    const bytes = await readFile(file());
    const damaged = join(folder, 'damaged.backup');
    bytes.writeUInt8(bytes.readUInt8(bytes.length - 500) ^ 1, bytes.length - 500);
    await writeFile(damaged, bytes);
    const changed = await restore(first(), damaged, '--replace').ended;
    expect(changed).toMatchObject({ code: 1, output: expect.stringContaining('was changed after it was made') });
    await writeFile(damaged, bytes.subarray(0, bytes.length / 2));
    const cut = await restore(first(), damaged, '--replace').ended;
    expect(cut).toMatchObject({ code: 1, output: expect.stringContaining('is incomplete') });
    expect(await runsIn(first())).toBe(RUNS + 1);
  });

  it('names the operator commands when called with another one', async () => {
    const { code, output } = await launch('commands/main.js', ['backups'], first()).ended;
    expect([code, output]).toEqual([
      2,
      expect.stringContaining('The commands are backup, files, keys, restore, upgrade-database and workspaces'),
    ]);
  });
});

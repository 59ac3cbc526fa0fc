import { createHash, randomBytes } from 'node:crypto';
import { mkdtemp, open, readdir, readFile, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { isId, newId } from '@app/kernel';

import { startEmbeddedPostgres } from '../../apps/standalone/src/embedded-postgres.js';
import { queryOnce } from '../../apps/standalone/src/postgres/connection.js';
import { currentPlace } from '../../apps/standalone/src/postgres/data-place.js';
import { eventually } from '../support/eventually.js';
import { freePort } from '../support/free-port.js';
import { LaunchedProcess, type ProcessOutcome } from '../support/launched-process.js';
import { REPOSITORY_ROOT as ROOT } from '../support/repository-root.js';
import { endAll } from '../support/scene.js';

const PROGRAMS = join(ROOT, 'dist', 'apps', 'standalone', 'src');

interface StoredFile {
  id: string;
  sha256: string;
}

const CSV = 'id,total\n1,40';

/** Its evaluation reads a fixture. */
const READER = {
  name: 'reader',
  input: { type: 'object', properties: { order: { file: {} } } },
  steps: [
    { id: 'read', tool: 'files.text', with: { file: '${{ input.order }}' } },
    { id: 'result', output: '${{ steps.read.output.text }}' },
  ],
  evaluation: {
    cases: [
      {
        name: 'reads the order',
        input: { order: { fixture: 'order.csv' } },
        assert: [{ type: 'equals', path: 'output', value: CSV }],
      },
    ],
  },
};

/** Runs `npm start` and its commands with data directories of this test. */
describe('the files of a backup', () => {
  const ends: (() => Promise<void>)[] = [];
  let folder: string;
  let port: number;
  let key: string;
  let service: LaunchedProcess;
  const content = randomBytes(300_000);
  let kept: StoredFile;
  let deleted: StoredFile;
  let fixture: StoredFile;
  let reader: string;

  const first = () => join(folder, 'first');
  const second = () => join(folder, 'second');
  const storedIn = async (dataDir: string) =>
    (await readdir(join(dataDir, 'files'))).filter((name) => isId('file', name)).sort();

  function launch(program: string, args: string[], dataDir: string): LaunchedProcess {
    const env = { PATH: process.env.PATH, HOME: folder, DATA_DIR: dataDir, PORT: String(port) };
    const launched = LaunchedProcess.start(process.execPath, [join(PROGRAMS, program), ...args], { cwd: ROOT, env });
    ends.push(async () => {
      await launched.stop('SIGKILL');
    });
    return launched;
  }
  const command = (dataDir: string, ...args: string[]): Promise<ProcessOutcome> =>
    launch('commands/main.js', args, dataDir).ended;

  async function start(dataDir: string): Promise<LaunchedProcess> {
    const launched = launch('main.js', ['--no-sample'], dataDir);
    await launched.says('Ctrl-C stops everything');
    return launched;
  }

  const call = (method: string, path: string, body?: Uint8Array<ArrayBuffer> | object): Promise<Response> => {
    const [type, content] =
      body === undefined || body instanceof Uint8Array
        ? ['application/octet-stream', body]
        : ['application/json', JSON.stringify(body)];
    const headers = { Authorization: `Bearer ${key}`, 'Content-Type': type };
    return fetch(`http://127.0.0.1:${port}/v1${path}`, { method, headers, body: content });
  };
  const answered = async <T>(response: Promise<Response>): Promise<T> => {
    expect((await response).ok).toBe(true);
    return (await (await response).json()) as T;
  };
  const request = (method: string, path: string, body?: Buffer): Promise<Response> =>
    call(method, `/files${path}`, body && new Uint8Array(body));
  const upload = async (bytes: Buffer): Promise<StoredFile> => {
    const response = await request('POST', '?expires_in=30d', bytes);
    expect(response.status).toBe(201);
    return (await response.json()) as StoredFile;
  };
  const hashOf = async (id: string): Promise<string> => {
    const response = await request('GET', `/${id}/content`);
    return createHash('sha256')
      .update(Buffer.from(await response.arrayBuffer()))
      .digest('hex');
  };
  const headerOf = async (file: string): Promise<unknown> => {
    const [, header = ''] = (await readFile(file)).toString('latin1').split('\n', 2);
    return (JSON.parse(header) as { files: unknown }).files;
  };

  async function query<Row extends object>(dataDir: string, sql: string): Promise<Row[]> {
    const postgres = await startEmbeddedPostgres({ dataDir: join(dataDir, 'postgres'), log: () => undefined });
    try {
      return await queryOnce<Row>(postgres.url, sql);
    } finally {
      await postgres.stop();
    }
  }

  beforeAll(async () => {
    folder = await mkdtemp(join(process.getuid?.() === 0 ? '/var/tmp' : tmpdir(), 'backup-files-'));
    ends.push(() => rm(folder, { recursive: true, force: true }));
    port = await freePort();
    service = await start(first());
    key = (await readFile(join(first(), 'admin.key'), 'utf8')).trim();
    kept = await upload(content);
    deleted = await upload(Buffer.from('deleted meanwhile'));
    const put = call('PUT', '/fixtures/order.csv', new Uint8Array(Buffer.from(CSV)));
    fixture = (await answered<{ file: StoredFile }>(put)).file;
    reader = (await answered<{ id: string }>(call('POST', '/agents', READER))).id;
  });

  afterAll(() => endAll(ends));

  it('are in it encrypted, unless they are left out or deleted meanwhile', async () => {
    const [whole, rows] = [join(folder, 'whole.backup'), join(folder, 'rows.backup')];
    // Its row is in the snapshot, and its bytes are gone when the backup reaches them.
    await rm(join(first(), 'files', deleted.id));
    const made = await command(first(), 'backup', whole, '--with-encryption-key');
    expect(made).toMatchObject({ code: 0, output: expect.stringContaining('The bytes of 3 files are included.') });
    const sums = { storage: 'disk', count: 3, bytes: content.length + 17 + CSV.length };
    expect(await headerOf(whole)).toEqual({ ...sums, included: true });
    const less = await command(first(), 'backup', rows, '--without-files');
    expect(less).toMatchObject({ code: 0, output: expect.stringContaining('are not included') });
    expect(await headerOf(rows)).toEqual({ ...sums, included: false });
    expect((await readFile(whole)).length - (await readFile(rows)).length).toBeGreaterThan(content.length);
    expect((await readFile(whole)).includes(content.subarray(0, 32))).toBe(false);
  });

  it('are compared with their rows', async () => {
    const orphan = newId('file');
    await writeFile(join(first(), 'files', orphan), 'x');
    const path = join(first(), 'files', kept.id);
    const found = await command(first(), 'files', 'verify');
    expect([found.code, found.output]).toEqual([
      1,
      expect.stringContaining(`missing ${deleted.id}\norphan ${orphan}\n`),
    ]);
    await request('DELETE', `/${deleted.id}`);
    expect(await command(first(), 'files', 'verify', '--content')).toMatchObject({ code: 0 });
    const bytes = await open(path, 'r+');
    await bytes.write(Buffer.from('other'), 0, 5, 70_000);
    await bytes.close();
    expect(await command(first(), 'files', 'verify')).toMatchObject({ code: 0 });
    const read = await command(first(), 'files', 'verify', '--content');
    expect([read.code, read.output]).toEqual([1, expect.stringContaining(`broken ${kept.id}\n`)]);
    expect(await command(first(), 'files', 'check')).toMatchObject({ code: 2 });
    await service.stop();
    // It also starts the database of a service that does not run.
    expect(await command(first(), 'files', 'verify', '--content')).toMatchObject({ code: 1 });
  });

  it('are restored with it, into the storage of the new installation', async () => {
    const done = await command(second(), 'restore', join(folder, 'whole.backup'));
    expect(done).toMatchObject({ code: 0 });
    expect(await storedIn(second())).toEqual([kept.id, fixture.id].sort());
    service = await start(second());
    expect(await hashOf(kept.id)).toBe(kept.sha256);
    const { id } = await answered<{ id: string }>(call('POST', `/agents/${reader}/versions/1/evaluate`));
    await eventually(async () => {
      const evaluation = await answered<{ status: string }>(call('GET', `/evaluations/${id}`));
      expect(evaluation).toMatchObject({ status: 'passed', fixtures: { 'order.csv': fixture.sha256 } });
    });
    expect((await request('GET', `/${deleted.id}/content`)).status).toBe(410);
    await service.stop();
  });

  it('stay while the former database is kept, and the storage keeps its marker', async () => {
    const later = randomBytes(1_000);
    const marker = await readFile(join(second(), 'files', 'installation'), 'utf8');
    service = await start(second());
    const added = await upload(later);
    await service.stop();
    const replaced = await command(second(), 'restore', join(folder, 'rows.backup'), '--replace');
    expect(replaced).toMatchObject({ code: 0 });
    const yesterday = new Date(Date.now() - 25 * 3_600_000);
    for (const id of await storedIn(second())) await utimes(join(second(), 'files', id), yesterday, yesterday);
    // The worker sweeps at its start. The restored database has no row of the added file.
    service = await start(second());
    expect((await request('GET', `/${added.id}`)).status).toBe(404);
    await service.stop();
    expect(await storedIn(second())).toEqual([kept.id, fixture.id, added.id].sort());
    expect(await readFile(join(second(), 'files', 'installation'), 'utf8')).toBe(marker);
    expect(await command(second(), 'restore', '--undo')).toMatchObject({ code: 0 });
    service = await start(second());
    expect(await hashOf(added.id)).toBe(added.sha256);
    await service.stop();
    // Without the other database, nothing is spared.
    const [row] = await query<{ spared: boolean }>(
      second(),
      'select spared_before is not null as spared from file_storage',
    );
    expect(row).toEqual({ spared: true });
    const { base } = await currentPlace(join(second(), 'postgres'));
    const pointer = JSON.parse(await readFile(join(base, 'current.json'), 'utf8')) as { former: string };
    await rm(join(base, pointer.former), { recursive: true });
    service = await start(second());
    await service.stop();
    const [after] = await query<{ spared: boolean }>(
      second(),
      'select spared_before is not null as spared from file_storage',
    );
    expect(after).toEqual({ spared: false });
  });
});

import { chmod, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { createSchemaAt, MIGRATION_NAMES } from '@app/installation';
import { Client } from 'pg';

import { createEmptyTestDatabase, createTestDatabase, type TestDatabase } from '../../../../test/support/postgres.js';
import { startEmbeddedPostgres } from '../embedded-postgres.js';
import { queryOnce } from '../postgres/connection.js';
import { currentPlace } from '../postgres/data-place.js';
import { Progress } from '../progress.js';
import { BackupFile } from './backup-file.js';
import { restoreDatabase } from './restore-database.js';
import { writeBackup } from './write-backup.js';

const AS_ROOT = process.getuid?.() === 0;
const NAMES = ['plain', "O'Hara\t\\N \\. \r\n next", 'Ärger 🚗'];
const NEVER = new AbortController().signal;

describe('the restore of a backup', () => {
  let base: string;
  let source: TestDatabase;
  const progress = new Progress(() => undefined);

  beforeEach(async () => {
    // If the tests run as root, PostgreSQL runs under another account. This account may be unable to access TMPDIR.
    base = await mkdtemp(join(AS_ROOT ? '/var/tmp' : tmpdir(), 'restore-database-'));
    await chmod(base, 0o755);
  });

  afterEach(async () => {
    await source.drop();
    await rm(base, { recursive: true, force: true });
  });

  const dataDir = () => join(base, 'postgres');

  async function backup(name = 'one'): Promise<BackupFile> {
    const file = join(base, `${name}.backup`);
    await writeBackup(
      source.url,
      { file, keys: [], includesKeys: false, sampleAgent: undefined, files: undefined },
      progress,
    );
    return BackupFile.open(file);
  }

  const restore = (file: BackupFile, signal = NEVER) =>
    restoreDatabase({ databases: dataDir(), files: undefined, prefix: 'restored' }, file, progress, signal);

  async function onRestored<T>(work: (url: string) => Promise<T>): Promise<T> {
    const postgres = await startEmbeddedPostgres({ dataDir: dataDir(), fsync: false, log: () => undefined });
    try {
      return await work(postgres.url);
    } finally {
      await postgres.stop();
    }
  }

  const addWorkspaces = async (): Promise<void> => {
    for (const [n, name] of NAMES.entries())
      await queryOnce(source.url, 'insert into workspaces (id, name) values ($1, $2)', [`wsp_${n}`, name]);
  };
  const namesIn = async (url: string): Promise<string[]> =>
    (await queryOnce<{ name: string }>(url, 'select name from workspaces order by id')).map(({ name }) => name);

  it('brings back every value, the months of the logs, and the numbers of sequences', async () => {
    source = await createTestDatabase();
    await addWorkspaces();
    await queryOnce(source.url, `select platform.make_months('audit_events', now() + interval '2 months', 3)`);
    await queryOnce(source.url, `select setval('run_machine.ended_failed', 41)`);
    const months = `select part, lower_id, upper_id from platform.months('audit_events')`;
    const before = await queryOnce(source.url, months);
    const restored = await restore(await backup());
    expect(restored).toMatchObject({ rows: NAMES.length, former: undefined });
    await onRestored(async (url) => {
      expect(await namesIn(url)).toEqual(NAMES);
      expect(await queryOnce(url, months)).toEqual(before);
      expect(await queryOnce(url, `select nextval('run_machine.ended_failed')::integer as n`)).toEqual([{ n: 42 }]);
      // Row-level security must be enabled for the restored partitions, as it is for their table.
      const open = `select relname from pg_class where relname like 'audit_events%' and relkind in ('r', 'p') and not relrowsecurity`;
      expect(await queryOnce(url, open)).toEqual([]);
      // Foreign keys must be enforced again, because the restore disables them only for the load.
      const orphan = `insert into groups (workspace_id, name) values ('wsp_none', 'desk')`;
      await expect(queryOnce(url, orphan)).rejects.toThrow();
    });
  });

  it('reads one moment, while other sessions write', async () => {
    source = await createTestDatabase();
    await addWorkspaces();
    const writer = new Client({ connectionString: source.url });
    await writer.connect();
    await writer.query('begin');
    await writer.query(`update workspaces set name = 'changed'`);
    const file = await backup();
    await writer.query('commit');
    await writer.end();
    await restore(file);
    await onRestored(async (url) => expect(await namesIn(url)).toEqual(NAMES));
  });

  it('of an earlier release ends with the schema of this one', async () => {
    source = await createEmptyTestDatabase();
    const baselines = MIGRATION_NAMES.filter((name) => name.includes('Baseline'));
    expect(baselines.length).toBeLessThan(MIGRATION_NAMES.length);
    await createSchemaAt(source.url, baselines);
    await addWorkspaces();
    const file = await backup();
    expect([...file.header.migrations].sort()).toEqual([...baselines].sort());
    await restore(file);
    await onRestored(async (url) => {
      const recorded = await queryOnce<{ name: string }>(url, 'select name from schema_migrations');
      expect(recorded.map(({ name }) => name).sort()).toEqual([...MIGRATION_NAMES].sort());
      expect(await namesIn(url)).toEqual(NAMES);
    });
  });

  it('keeps the database in use until its end, and keeps it afterwards too', async () => {
    source = await createTestDatabase();
    const first = await backup('empty');
    await restore(first);
    await addWorkspaces();
    const second = await backup('filled');
    const stopped = new AbortController();
    stopped.abort(new Error('stopped by a person'));
    await expect(restore(second, stopped.signal)).rejects.toThrow('stopped by a person');
    await onRestored(async (url) => expect(await namesIn(url)).toEqual([]));
    const [only, ...more] = (await readdir(dataDir())).filter((name) => name.startsWith('restored-'));
    expect(more).toEqual([]);
    const place = await currentPlace(dataDir());
    expect(place.directory).toBe(join(dataDir(), only ?? ''));
    const restored = await restore(second);
    expect(restored.former).toBe(join(place.directory, 'cluster'));
    await onRestored(async (url) => expect(await namesIn(url)).toEqual(NAMES));
  });

  it('refuses a partition that is none, because the file may be of a stranger', async () => {
    source = await createTestDatabase();
    const file = await backup();
    file.header.partitions[0]!.bound = `FOR VALUES FROM ('a') TO ('b'); drop table workspaces`;
    await expect(restore(file)).rejects.toThrow(/does not match the schema.*partition/);
  });
});

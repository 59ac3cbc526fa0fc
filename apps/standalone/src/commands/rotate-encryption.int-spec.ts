import { randomBytes } from 'node:crypto';
import { mkdtemp, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { SealedBox } from '@app/platform/crypto';

import { createTestDatabase, type TestDatabase } from '../../../../test/support/postgres.js';
import { keepEncryptionKeys, keyNameOf } from '../encryption-key.js';
import { ensureFirstWorkspace } from '../first-workspace.js';
import { InstanceRecord } from '../instance-record.js';
import { queryOnce } from '../postgres/connection.js';
import { perform } from './operator-command.js';
import { rotateEncryption, SEALED_TABLES } from './rotate-encryption.js';

/**
 * Columns that have the type of a sealed value but contain no sealed value. Add each new column of such a type to this
 * list or to the sealed tables.
 */
const NOT_SEALED = new Set([
  'agent_version_tools.description',
  'agent_versions.definition',
  'agents.labels',
  'agents.previous_webhook_secret_hash',
  'agents.webhook_secret_hash',
  'api_keys.hash',
  'api_keys.previous_hash',
  'approvals.form',
  'audit_events.detail',
  'connections.error',
  'evaluation_trials.grade',
  'evaluation_trials.judgements',
  'evaluations.cases',
  'evaluations.fixtures',
  'evaluations.gate',
  'events.data',
  'file_links.token_hash',
  'files.write_key',
  'former_secrets.hash',
  'idempotency_keys.fingerprint',
  'knowledge_authorizations.settings',
  'knowledge_bases.index_error',
  'knowledge_bases.indexed',
  'knowledge_bases.settings',
  'knowledge_documents.validator',
  'knowledge_sources.config',
  'knowledge_sources.error',
  'knowledge_sources.schedule',
  'knowledge_syncs.checkpoint',
  'knowledge_syncs.error',
  'knowledge_syncs.failures',
  'knowledge_syncs.skipped',
  'knowledge_uploads.content',
  'knowledge_vectors.vector',
  'mailbox_watches.account',
  'poll_watches.declared',
  'run_statistics.durations',
  'runs.labels',
  'runs.warnings',
  'sessions.key_hash',
  'sessions.token_hash',
  'sign_in_tokens.browser_hash',
  'sign_in_tokens.code_mac',
  'sign_in_tokens.grants',
  'sign_in_tokens.hash',
  'spent_sign_ins.hash',
  'state_entries.value',
  'state_writes.value',
  'trigger_events.errors',
  'trigger_receipts.fingerprint',
  'webhook_messages.snapshot',
]);

/**
 * Selects the columns that could hold a sealed value. Excludes partitions, because they have the columns of their
 * table.
 */
const COLUMNS = `
  select c.table_name || '.' || c.column_name as name from information_schema.columns c
    join information_schema.tables t using (table_schema, table_name)
    join pg_class p on p.relname = c.table_name and p.relnamespace = 'public'::regnamespace and not p.relispartition
  where c.table_schema = 'public' and t.table_type = 'BASE TABLE' and c.data_type in ('bytea', 'json', 'jsonb')
  order by 1`;

describe('a change of the key that npm start keeps', () => {
  let database: TestDatabase;
  let dataDir: string;
  let record: InstanceRecord;

  beforeEach(async () => {
    database = await createTestDatabase();
    dataDir = await mkdtemp(join(tmpdir(), 'rotation-'));
    record = await InstanceRecord.take(dataDir, 'http://127.0.0.1:1', () => undefined);
    await record.update({ database_url: database.url });
    await ensureFirstWorkspace(database.url, dataDir);
  });

  afterEach(async () => {
    await record.release();
    await rm(dataDir, { recursive: true });
    await database.drop();
  });

  async function rotate(env: Record<string, string> = {}) {
    const said = { status: -1, out: '', error: '' };
    const terminal = { out: (text: string) => (said.out += text), error: (text: string) => (said.error += text) };
    said.status = await perform(rotateEncryption, ['rotate-encryption'], terminal, { DATA_DIR: dataDir, ...env });
    return said;
  }

  const keysInFile = async () => (await readFile(join(dataDir, 'encryption.key'), 'utf8')).trim().split('\n');
  const bytes = (key: string) => Buffer.from(key, 'base64');

  async function start(): Promise<string> {
    const [current] = await keepEncryptionKeys(dataDir);
    await record.update({ encryption_key: keyNameOf(bytes(current)) });
    return current;
  }

  async function aSecret(key: string): Promise<void> {
    const [{ id: workspace }] = (await queryOnce<{ id: string }>(database.url, 'select id from workspaces')) as [
      { id: string },
    ];
    const cell = { workspace, table: 'secrets', column: 'value', row: 'TOKEN' };
    const insert = `insert into secrets (workspace_id, name, value, updated_by) values ($1, 'TOKEN', $2, 'ada@example.com')`;
    await queryOnce(database.url, insert, [workspace, new SealedBox([bytes(key)]).seal('hush', cell)]);
  }

  const sealedBy = async (key: string): Promise<string> => {
    const [{ value }] = (await queryOnce<{ value: Buffer }>(database.url, 'select value from secrets')) as [
      { value: Buffer },
    ];
    return new SealedBox([bytes(key)]).sealedBy(value);
  };

  it('takes two calls with a restart in between, and drops the old key itself', async () => {
    const first = await start();
    await aSecret(first);
    const begun = await rotate();
    expect(begun).toMatchObject({ status: 0, out: expect.stringContaining('Restart') });
    const [second, ...previous] = await keysInFile();
    expect(previous).toEqual([first]);
    expect(await keepEncryptionKeys(dataDir)).toEqual([second, first]);
    expect((await stat(join(dataDir, 'encryption.key'))).mode & 0o777).toBe(0o600);

    expect(await rotate()).toMatchObject({ status: 0, out: expect.stringContaining('Restart') });
    expect(await keysInFile()).toEqual([second, first]);
    expect(await sealedBy(first)).toBe('current');

    expect(await start()).toBe(second);
    const done = await rotate();
    expect(done).toMatchObject({
      status: 0,
      out: expect.stringContaining('removed'),
      error: expect.stringContaining('secrets: 1'),
    });
    expect(await keysInFile()).toEqual([second]);
    expect(await sealedBy(second!)).toBe('current');
    expect(done.out + done.error + begun.out + begun.error).not.toContain(second!);
  });

  it('keeps the old key while something opens with none of them', async () => {
    await start();
    await aSecret(randomBytes(32).toString('base64'));
    await rotate();
    await start();
    expect(await rotate()).toMatchObject({ status: 1, out: '', error: expect.stringContaining('secrets (1)') });
    expect(await keysInFile()).toHaveLength(2);
  });

  it('leaves the file alone where the operator has set the key', async () => {
    const first = await start();
    await aSecret(first);
    const [own, other] = [randomBytes(32), randomBytes(32)].map((key) => key.toString('base64')) as [string, string];
    const env = { ENCRYPTION_KEY: own, ENCRYPTION_KEYS_PREVIOUS: `${other},${first}` };
    expect(await rotate(env)).toMatchObject({ status: 0, error: expect.stringContaining('does not use the key') });
    await record.update({ encryption_key: keyNameOf(bytes(own)) });
    expect(await rotate(env)).toMatchObject({ status: 0, out: expect.stringContaining('ENCRYPTION_KEYS_PREVIOUS') });
    expect(await sealedBy(own)).toBe('current');
    expect(await keysInFile()).toEqual([first]);
  });
});

describe('a change of the encryption key', () => {
  let database: TestDatabase;
  beforeAll(async () => {
    database = await createTestDatabase();
  });
  afterAll(() => database.drop());

  it('knows every column that may hold a sealed value', async () => {
    const sealed = SEALED_TABLES.flatMap(({ name, columns }) => columns.map((column) => `${name}.${column}`));
    const all = (await queryOnce<{ name: string }>(database.url, COLUMNS)).map(({ name }) => name);
    expect(sealed.filter((name) => !all.includes(name))).toEqual([]);
    expect([...NOT_SEALED].filter((name) => !all.includes(name) || sealed.includes(name))).toEqual([]);
    expect(all.filter((name) => !sealed.includes(name) && !NOT_SEALED.has(name))).toEqual([]);
  });

  it.each(SEALED_TABLES.map((table) => [table.name, table] as const))(
    'reads and writes all sealed columns of %s',
    (_, { columns, find, replace }) => {
      for (const column of columns) {
        expect(find.text).toContain(column);
        expect(replace.text).toMatch(new RegExp(`\\b${column} = `));
      }
    },
  );
});

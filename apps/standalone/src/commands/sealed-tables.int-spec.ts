import { createTestDatabase, type TestDatabase } from '../../../../test/support/postgres.js';
import { queryOnce } from '../postgres/connection.js';
import { SEALED_TABLES } from './sealed-tables.js';

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
  'evaluations.gate',
  'events.data',
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

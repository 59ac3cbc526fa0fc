import { randomBytes } from 'node:crypto';
import { newId } from '@app/kernel';
import { createDataSource, TenantRole } from '@app/platform/database';
import { currentContext, runInContext } from '@app/platform/observability';
import { migrateQueue } from '@app/platform/queue';
import { Client } from 'pg';
import { type DataSource } from 'typeorm';
import { ManualClock } from '../../libs/kernel/src/testing/manual-clock.js';
import { migrateSchema } from '../../libs/installation/src/migrate-schema.js';
import { startApi } from '../support/api.js';
import { createEmptyTestDatabase, createTestDatabase, type TestDatabase } from '../support/postgres.js';

/**
 * Tables without the column `workspace_id`. They contain data of the whole installation, or data that only the service
 * itself can access.
 */
const OF_NOBODY = [
  'budget_reservations',
  'file_storage',
  'knowledge_crawl_pages',
  'knowledge_words',
  'schema_functions',
  'schema_migrations',
  'spent_sign_ins',
  'workers',
];

const TABLES = `
  select c.relname as name, c.relrowsecurity as secured,
    (select array_agg(p.polname::text order by 1) from pg_policy p where p.polrelid = c.oid) as policies
  from pg_class c where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') order by 1`;

describe('row-level security', () => {
  let database: TestDatabase;
  let source: DataSource;
  let postgres: Client;
  let role: string;
  const [ours, theirs] = [newId('workspace'), newId('workspace')];

  beforeAll(async () => {
    database = await createTestDatabase();
    postgres = new Client({ connectionString: database.url });
    await postgres.connect();
    for (const id of [ours, theirs]) {
      await postgres.query(`insert into workspaces (id, name) values ($1, $1)`, [id]);
      await postgres.query(
        `insert into secrets (workspace_id, name, value, updated_by) values ($1, 'TOKEN', '\\x00', 'ada@example.com')`,
        [id],
      );
    }
    const tenantOf = () => currentContext().workspaceId;
    const settings = { url: database.url, poolSize: 3, applicationName: 'test', tenantOf };
    source = await createDataSource(settings).initialize();
    const tenantRole = await TenantRole.attach(source, tenantOf);
    role = tenantRole.role!;
  });

  afterAll(async () => {
    await source.destroy();
    await postgres.end();
    await database.drop();
  });

  const as = <T>(workspaceId: string, work: () => Promise<T>): Promise<T> => runInContext({ workspaceId }, work);
  const everything = (): Promise<{ workspace_id: string }[]> => source.query('select workspace_id from secrets');

  it('is in force for every table that belongs to workspaces', async () => {
    const { rows } = await postgres.query<{ name: string; secured: boolean; policies: string[] | null }>(TABLES);
    const open = rows.filter(({ policies }) => policies?.join() !== 'all_roles,tenant').map(({ name }) => name);
    expect(open).toEqual(OF_NOBODY);
    expect(rows.filter(({ secured }) => !secured).map(({ name }) => name)).toEqual(OF_NOBODY);
    const { rows: roles } = await postgres.query(
      'select rolcanlogin, rolsuper, rolbypassrls from pg_roles where rolname = $1',
      [role],
    );
    expect(roles).toEqual([{ rolcanlogin: false, rolsuper: false, rolbypassrls: false }]);
  });

  it('shows the role no rows if no workspace is set', async () => {
    const { rows } = await postgres.query<{ name: string }>(TABLES);
    await postgres.query('begin');
    await postgres.query(`set local role "${role}"`);
    const left = rows.filter((table) => !OF_NOBODY.includes(table.name));
    for (const { name } of left) {
      expect([name, (await postgres.query(`select from "${name}"`)).rowCount]).toEqual([name, 0]);
    }
    await postgres.query('rollback');
  });

  it('shows repositories one workspace, even if a statement lacks the condition', async () => {
    expect(await as(ours, everything)).toEqual([{ workspace_id: ours }]);
    expect(await as(theirs, everything)).toEqual([{ workspace_id: theirs }]);
    expect(await as(newId('workspace'), everything)).toEqual([]);
    const stolen = await as(ours, () => source.query('select from secrets where workspace_id = $1', [theirs]));
    expect(stolen).toEqual([]);
  });

  it('prevents writes into another workspace, by a statement or in a transaction', async () => {
    const change = `update secrets set updated_by = 'eve@example.com' where workspace_id = $1 returning 1`;
    const move = 'update secrets set workspace_id = $1';
    expect(await as(ours, () => source.query(change, [theirs]))).toEqual([[], 0]);
    await expect(as(ours, () => source.query(move, [theirs]))).rejects.toMatchObject({ code: '42501' });
    const inTransaction = as(ours, () =>
      source.transaction(async (manager) => {
        expect(await manager.query(change, [theirs])).toEqual([[], 0]);
        await manager.query(move, [theirs]);
      }),
    );
    await expect(inTransaction).rejects.toMatchObject({ code: '42501' });
    const { rows } = await postgres.query('select updated_by from secrets where workspace_id = $1', [theirs]);
    expect(rows).toEqual([{ updated_by: 'ada@example.com' }]);
  });

  it('commits a statement before it answers', async () => {
    await as(ours, () =>
      source.query(`update secrets set updated_by = 'bob@example.com' where workspace_id = $1`, [ours]),
    );
    const { rows } = await postgres.query('select updated_by from secrets where workspace_id = $1', [ours]);
    expect(rows).toEqual([{ updated_by: 'bob@example.com' }]);
  });

  it('leaves no setting on the connection, whether the statement succeeds or fails', async () => {
    for (const text of ['select 1', 'select 1 / 0', 'nonsense'])
      await as(ours, () => source.query(text)).catch(() => undefined);
    const each = await Promise.all(
      Array.from({ length: 3 }, () =>
        source.query(`select current_user <> $1 as free, current_setting('app.workspace_id', true) as set`, [role]),
      ),
    );
    for (const [row] of each) expect([row.free, row.set ?? '']).toEqual([true, '']);
    expect(await everything()).toHaveLength(2);
  });

  it('separates concurrent statements', async () => {
    const asked = Array.from({ length: 60 }, (_, n) => (n % 2 === 0 ? ours : theirs));
    const seen = await Promise.all(asked.map((id) => as(id, everything)));
    expect(seen).toEqual(asked.map((workspace_id) => [{ workspace_id }]));
  });
});

describe('row-level security of a process that was there before the schema', () => {
  it('is in force a few seconds after the migrate step', async () => {
    const database = await createEmptyTestDatabase();
    const tenantOf = () => currentContext().workspaceId;
    const settings = { url: database.url, poolSize: 2, applicationName: 'test', tenantOf };
    const source = await createDataSource(settings).initialize();
    const [ours, theirs] = [newId('workspace'), newId('workspace')];
    const seen = (): Promise<{ id: string }[]> =>
      runInContext({ workspaceId: ours }, () => source.query('select id from workspaces order by id'));
    const both = [{ id: ours }, { id: theirs }];
    const clock = new ManualClock();
    try {
      const tenantRole = await TenantRole.attach(source, tenantOf, clock);
      await expect(seen()).rejects.toMatchObject({ code: '42P01' });
      await migrateSchema(database.url);
      await source.query('insert into workspaces (id, name) values ($1, $1), ($2, $2)', [ours, theirs]);
      expect([tenantRole.role, await seen()]).toEqual([undefined, both]);
      clock.pass(5_000);
      expect(await Promise.all([seen(), seen(), seen()])).toEqual([[{ id: ours }], [{ id: ours }], [{ id: ours }]]);
      expect(tenantRole.role).toBe(`${new URL(database.url).pathname.slice(1)}_tenant`);
      expect(await source.query('select id from workspaces order by id')).toEqual(both);
    } finally {
      await source.destroy();
      await database.drop();
    }
  });
});

describe('row-level security where the user of the database may make no roles', () => {
  it('is not in force until an authorised user creates the role; the schema is created without it', async () => {
    const database = await createEmptyTestDatabase();
    const admin = new Client({ connectionString: database.url });
    await admin.connect();
    const user = `plain_${randomBytes(4).toString('hex')}`;
    const name = new URL(database.url).pathname.slice(1);
    await admin.query(`create role ${user} login password 'p'`);
    await admin.query(`alter database ${name} owner to ${user}`);
    await admin.query(`alter schema public owner to ${user}`);
    const url = new URL(database.url);
    [url.username, url.password] = [user, 'p'];
    try {
      await migrateSchema(url.href);
      await migrateQueue(url.href);
      const api = await startApi({ databaseUrl: url.href });
      expect(api.logged()).toContainEqual(
        expect.objectContaining({ msg: expect.stringContaining('row-level security') }),
      );
      const { adminKey: key } = await api.newTenant();
      expect(await api.call('GET', '/v1/me', { key })).toMatchObject({ status: 200 });
      await api.close();
      expect((await admin.query('select from pg_policy')).rowCount).toBe(0);
      await admin.query(`create role "${name}_tenant" nologin`);
      await admin.query(`grant "${name}_tenant" to ${user}`);
      await migrateSchema(url.href);
      expect((await admin.query(`select from pg_policy where polname = 'tenant'`)).rowCount).toBeGreaterThan(20);
      const settings = { url: url.href, poolSize: 1, applicationName: 'test', tenantOf: () => newId('workspace') };
      const source = await createDataSource(settings).initialize();
      expect((await TenantRole.attach(source, settings.tenantOf)).role).toBe(`${name}_tenant`);
      expect(await source.query('select from workspaces')).toEqual([]);
      // After the rename, the tenant role no longer exists. Postgres must then reject statements, because it cannot
      // switch to the role.
      await admin.query(`alter role "${name}_tenant" rename to ${user}_lost`);
      await expect(source.query('select from workspaces')).rejects.toMatchObject({ code: '22023' });
      await expect(source.transaction((manager) => manager.query('select 1'))).rejects.toMatchObject({ code: '22023' });
      await source.destroy();
    } finally {
      await admin.end();
      await database.drop();
    }
  });
});

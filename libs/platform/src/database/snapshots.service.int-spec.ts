import { Pool } from 'pg';
import type { DataSource } from 'typeorm';
import { eventually } from '../../../../test/support/eventually.js';
import { createTestDatabase, type TestDatabase } from '../../../../test/support/postgres.js';
import { createDataSource, SnapshotsService, Statements, TenantRole, withoutTenantRole } from './index.js';

describe('a snapshot', () => {
  let database: TestDatabase;
  let source: DataSource;
  let snapshots: SnapshotsService;
  let statements: Statements;
  let outside: Pool;
  let workspace: string | undefined;

  beforeAll(async () => {
    database = await createTestDatabase();
    outside = new Pool({ connectionString: database.url, max: 1 });
    await outside.query(`create table counted (n integer); insert into counted values (0)`);
    await outside.query('grant select on counted to public');
    const settings = { url: database.url, poolSize: 2, applicationName: 'snapshots-test', tenantOf: () => workspace };
    source = await createDataSource(settings).initialize();
    await TenantRole.attach(source, settings.tenantOf);
    snapshots = new SnapshotsService(source);
    statements = new Statements(source);
  });

  beforeEach(async () => {
    workspace = undefined;
    await outside.query('update counted set n = 0');
  });

  afterAll(async () => {
    await source.destroy();
    await outside.end();
    await database.drop();
  });

  const read = async (): Promise<number> => (await source.query('select n from counted'))[0].n;
  const change = () => outside.query('update counted set n = n + 1');
  const role = async (): Promise<string> => (await source.query('select current_user as name'))[0].name;
  const user = async (): Promise<string> => (await outside.query('select current_user as name')).rows[0].name;
  const openTransactions = async (): Promise<number> => {
    const { rows } = await outside.query(
      `select count(*)::integer as n from pg_stat_activity
       where datname = current_database() and application_name = 'snapshots-test' and state like 'idle in transaction%'`,
    );
    return rows[0].n;
  };

  it('shows the same state to every read of it, and the new state to reads after it', async () => {
    const seen = await snapshots.read(async () => {
      const first = await read();
      await change();
      const prepared = await statements.query<{ n: number }>({ name: 'counted', text: 'select n from counted' }, []);
      return [first, await read(), prepared[0]!.n];
    });
    expect(seen).toEqual([0, 0, 0]);
    expect(await read()).toBe(1);
  });

  it('shows the same state to reads that are sent at the same time', async () => {
    const [first, second] = await snapshots.read(async () => {
      await read();
      await change();
      return Promise.all([read(), read()]);
    });
    expect([first, second]).toEqual([0, 0]);
  });

  it('is shared with the snapshots inside of it', async () => {
    const seen = await snapshots.read(async () => {
      const before = await read();
      await change();
      return [before, await snapshots.read(read)];
    });
    expect(seen).toEqual([0, 0]);
  });

  it('refuses writes', async () => {
    const writing = snapshots.read(() => source.query('update counted set n = 5'));
    await expect(writing).rejects.toThrow('read-only transaction');
    expect(await read()).toBe(0);
  });

  it('releases its connection after success and failure, and takes none without a read', async () => {
    for (let n = 0; n < 10; n++) {
      await snapshots.read(read);
      await expect(snapshots.read(() => source.query('select n from nowhere'))).rejects.toThrow('nowhere');
      await expect(snapshots.read(() => read().then(() => Promise.reject(new Error('mine'))))).rejects.toThrow('mine');
      await snapshots.read(() => Promise.resolve());
    }
    expect(await read()).toBe(0);
    // `snapshots.read` does not wait for the commit of its transaction, so the test waits for it.
    await eventually(async () => expect(await openTransactions()).toBe(0));
  });

  it('uses other connections for reads after its end', async () => {
    let later: Promise<number> | undefined;
    let proceed: () => void = () => undefined;
    const gate = new Promise<void>((resolve) => (proceed = resolve));
    await snapshots.read(async () => {
      await read();
      later = gate.then(read);
    });
    await change();
    proceed();
    expect(await later).toBe(1);
  });

  it('reads as the role of the workspace, or without it if the first read does', async () => {
    workspace = 'wsp_01kahzvk3te9d8q6f0f1v3m2sx';
    const tenantRole = await role();
    expect(tenantRole).not.toBe(await user());
    expect(await snapshots.read(async () => [await role(), await role()])).toEqual([tenantRole, tenantRole]);
    expect(await snapshots.read(() => withoutTenantRole(role))).toBe(await user());
    expect(await role()).toBe(tenantRole);
  });
});

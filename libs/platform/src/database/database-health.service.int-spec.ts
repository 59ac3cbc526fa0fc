import { Client } from 'pg';
import type { DataSource } from 'typeorm';
import { eventually } from '../../../../test/support/eventually.js';
import { createTestDatabase, type TestDatabase } from '../../../../test/support/postgres.js';
import { createDataSource, DatabaseHealthService, Statements } from './index.js';

describe('the health of the database', () => {
  let database: TestDatabase;
  let source: DataSource;

  beforeEach(async () => {
    database = await createTestDatabase();
  });
  afterEach(async () => {
    await source.destroy();
    await database.drop();
  });

  const open = async (migrations: readonly string[] = []): Promise<DatabaseHealthService> => {
    source = await createDataSource({ url: database.url, poolSize: 2, applicationName: 'health' }).initialize();
    return new DatabaseHealthService(new Statements(source), source, migrations);
  };
  const administer = async (statement: string): Promise<void> => {
    const client = new Client({ connectionString: database.url });
    await client.connect();
    try {
      await client.query(statement);
    } finally {
      await client.end();
    }
  };
  const name = (): string => new URL(database.url).pathname.slice(1);

  it('is ok when Postgres reads and writes', async () => {
    expect(await (await open()).check()).toEqual({ ok: true });
  });

  it('names the migrations that the database lacks', async () => {
    const missing = 'Later1999000000000';
    const status = await (await open(['WorkspaceBaseline1768000000000', missing])).check();
    expect(status).toEqual({
      ok: false,
      missing: 'migrations',
      problem: `The schema lacks migrations (${missing}). Run the migrate step: \`node dist/apps/api/src/migrate.js\`.`,
    });
  });

  it('reports a read-only server', async () => {
    await administer(`alter database ${name()} set default_transaction_read_only = on`);
    const status = await (await open()).check();
    expect(status).toMatchObject({ ok: false, missing: 'database', problem: expect.stringMatching(/read-only/) });
    expect(status).toMatchObject({ problem: expect.stringMatching(/primary server/) });
  });

  it('reports a server that cannot write to its disk', async () => {
    await administer(`alter database ${name()} set temp_file_limit = '64kB'`);
    const status = await (await open()).check();
    expect(status).toMatchObject({ ok: false, missing: 'database', problem: expect.stringMatching(/temp_file_limit/) });
  });

  it('checks the disk again a second after a failure', async () => {
    await administer(`alter database ${name()} set temp_file_limit = '64kB'`);
    const health = await open();
    expect(await health.check({ monotonicMillis: () => 0 })).toMatchObject({ ok: false });
    await administer(`alter database ${name()} reset temp_file_limit`);
    await administer(`select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'health' and
      datname = current_database()`);
    await eventually(async () => expect(await health.check({ monotonicMillis: () => 1_000 })).toEqual({ ok: true }));
  });
});

import { DataSource } from 'typeorm';
import { createTestDatabase, type TestDatabase } from '../../../../test/support/postgres.js';
import { serviceDataSourceOptions } from './data-source.js';
import { storeBytes, TenantRole, Transactions } from './index.js';

const MIB = 1024 * 1024;
const WORKSPACE = 'ws_1';

describe('storing bytes in a transaction', () => {
  let database: TestDatabase;
  let source: DataSource;
  let transactions: Transactions;

  beforeAll(async () => {
    database = await createTestDatabase();
    const settings = { url: database.url, poolSize: 1, applicationName: 'test', tenantOf: () => WORKSPACE };
    source = await new DataSource(serviceDataSourceOptions(settings)).initialize();
    await source.query(`create table stored (name text, content bytea, time_limit text, workspace text)`);
    // Takes longer than other statements may take, like a busy disk.
    await source.query(`create function store() returns trigger language plpgsql as $$ begin
        new.time_limit := current_setting('statement_timeout');
        new.workspace := current_setting('app.workspace_id', true);
        if new.name = 'slow' then perform pg_sleep(4.6); end if;
        return new;
      end $$`);
    await source.query('create trigger store before insert on stored for each row execute function store()');
    await source.query('grant select, insert on stored to public');
    await TenantRole.attach(source, settings.tenantOf);
    transactions = new Transactions(source);
  });
  afterAll(async () => {
    await source.destroy();
    await database.drop();
  });

  const store = async (name: string, bytes: number): Promise<unknown> => {
    const text = 'insert into stored (name, content) values ($1, $2)';
    const values = [name, Buffer.alloc(bytes)];
    await transactions.run((transaction) => storeBytes(transaction, { text, values, bytes }));
    const [row] = await source.query(
      'select length(content) as length, time_limit, workspace from stored where name = $1',
      [name],
    );
    return row;
  };

  it('has the time limit of every statement if they are few', async () => {
    expect(await store('few', MIB)).toMatchObject({ length: MIB, time_limit: '4s' });
  });

  it('has more time for each byte if they are many, as a statement of the same workspace', async () => {
    const expected = { length: 8 * MIB, time_limit: '8195ms', workspace: WORKSPACE };
    expect(await store('slow', 8 * MIB)).toMatchObject(expected);
  });

  it('leaves the time limit of later transactions as it was', async () => {
    await store('many', 8 * MIB);
    expect(await source.query('show statement_timeout')).toEqual([{ statement_timeout: '4s' }]);
  });
});

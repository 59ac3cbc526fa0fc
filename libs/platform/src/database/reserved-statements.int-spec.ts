import { Client } from 'pg';
import { eventually } from '../../../../test/support/eventually.js';
import { createTestDatabase, type TestDatabase } from '../../../../test/support/postgres.js';
import { ReservedStatements } from './index.js';

describe('the reserved connections', () => {
  let database: TestDatabase;
  let observer: Client;
  let reserve: ReservedStatements;

  beforeAll(async () => {
    database = await createTestDatabase();
    observer = new Client({ connectionString: database.url });
    await observer.connect();
  });

  beforeEach(() => {
    reserve = new ReservedStatements({ url: database.url, poolSize: 10, applicationName: 'spec' });
  });

  afterEach(() => reserve.onApplicationShutdown());

  afterAll(async () => {
    await observer.end();
    await database.drop();
  });

  const sessions = async (filter = 'true'): Promise<number> => {
    const text = `select count(*)::integer as count from pg_stat_activity
      where datname = current_database() and application_name = 'spec reserve' and ${filter}`;
    return (await observer.query<{ count: number }>(text)).rows[0]!.count;
  };
  const endSessions = () =>
    observer.query(`select pg_terminate_backend(pid) from pg_stat_activity
      where datname = current_database() and application_name = 'spec reserve'`);

  it('are opened on demand, kept when idle, and never more than two', async () => {
    expect(await sessions()).toBe(0);
    await reserve.warmUp();
    expect(await sessions()).toBe(2);
    const answers = await Promise.all(
      Array.from({ length: 6 }, (_, n) => reserve.query({ name: 'n', text: 'select $1::integer as n' }, [n])),
    );
    expect(answers.flat()).toEqual(Array.from({ length: 6 }, (_, n) => ({ n })));
    expect(await sessions()).toBe(2);
  });

  it('retry a statement whose connection broke', async () => {
    await observer.query('create table tries (n integer)');
    const statement = { name: 'slow', text: `insert into tries select 1 from pg_sleep(0.3) returning n` };
    const answer = reserve.query(statement, []);
    await eventually(async () => expect(await sessions(`state = 'active'`)).toBe(1));
    await endSessions();
    expect(await answer).toEqual([{ n: 1 }]);
  });

  it('survive the loss of idle connections', async () => {
    await reserve.warmUp();
    await endSessions();
    expect(await reserve.query({ name: 'one', text: 'select 1 as one' }, [])).toEqual([{ one: 1 }]);
  });

  it('do not retry a wrong statement', async () => {
    await expect(reserve.query({ name: 'wrong', text: 'select 1/0' }, [])).rejects.toMatchObject({ code: '22012' });
  });
});

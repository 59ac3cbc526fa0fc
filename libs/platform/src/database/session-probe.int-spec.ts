import type { DataSource } from 'typeorm';
import { createTestDatabase, type TestDatabase } from '../../../../test/support/postgres.js';
import { TransactionPooler } from '../../../../test/support/transaction-pooler.js';
import { createDataSource, probeSession, Statements } from './index.js';

describe('a session with the database', () => {
  let database: TestDatabase;
  let pooler: TransactionPooler;

  beforeAll(async () => {
    database = await createTestDatabase();
    pooler = await TransactionPooler.start(database.url, 2);
  });
  afterAll(async () => {
    await pooler.stop();
    await database.drop();
  });

  it('with Postgres itself is recognised', async () => {
    expect(await probeSession({ url: database.url, applicationName: 'spec' })).toEqual({
      pooling: 'none',
      prepares: true,
      limits: true,
    });
  });

  it('through a pooler that loses prepared statements is recognised', async () => {
    expect(await probeSession({ url: pooler.url, applicationName: 'spec' })).toEqual({
      pooling: 'transaction',
      prepares: false,
      limits: false,
    });
  });

  it('through such a pooler runs every statement, even if the probe has not recognised the pooler', async () => {
    const source: DataSource = await createDataSource({
      url: pooler.url,
      poolSize: 4,
      applicationName: 'spec',
    }).initialize();
    const lost: unknown[] = [];
    const statements = new Statements(source, true, (error) => lost.push(error));
    const add = { name: 'add', text: 'select $1::integer + 1 as sum' };
    const sums = await Promise.all(Array.from({ length: 40 }, (_, n) => statements.query<{ sum: number }>(add, [n])));
    expect(sums.map(([row]) => row?.sum)).toEqual(Array.from({ length: 40 }, (_, n) => n + 1));
    expect(lost).toHaveLength(1);
    await source.destroy();
  });
});

import { isId } from '@app/kernel';
import type { DataSource } from 'typeorm';
import { createTestDatabase, type TestDatabase } from '../../../../test/support/postgres.js';
import { createDataSource } from './index.js';

const DIGITS = '0123456789abcdefghjkmnpqrstvwxyz';

describe('an id that Postgres creates', () => {
  let database: TestDatabase;
  let sql: DataSource;

  beforeAll(async () => {
    database = await createTestDatabase();
    sql = await createDataSource({ url: database.url, poolSize: 1, applicationName: 'spec' }).initialize();
  });
  afterAll(async () => {
    await sql.destroy();
    await database.drop();
  });

  it('is a UUIDv7 like the ids that the processes create', async () => {
    const rows = await sql.query<{ id: string; isNow: boolean }[]>(
      `select x.id, platform.id_time(x.id) between statement_timestamp() - interval '1 millisecond' and clock_timestamp() as "isNow"
         from (select platform.new_id('evt') as id from generate_series(1, 1000)) x`,
    );
    expect(rows.filter(({ id, isNow }) => !isId('event', id) || !isNow)).toEqual([]);
    expect(new Set(rows.map(({ id }) => id)).size).toBe(1000);
    const uuids = rows.map(({ id }) => uuidOf(id));
    expect(uuids.filter((uuid) => !/^[0-9a-f]{12}7[0-9a-f]{3}[89ab][0-9a-f]{15}$/.test(uuid))).toEqual([]);
    for (const at of [13, 14, 15, 17, 24, 31]) expect(new Set(uuids.map((uuid) => uuid[at])).size).toBe(16);
  });
});

function uuidOf(id: string): string {
  const bits = [...id.slice(4)].reduce((sum, digit) => sum * 32n + BigInt(DIGITS.indexOf(digit)), 0n);
  return bits.toString(16).padStart(32, '0');
}

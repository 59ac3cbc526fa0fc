import { Client } from 'pg';
import type { QueryRunner } from 'typeorm';
import {
  FORMER_MIGRATIONS,
  LIB_SCHEMAS,
  MIGRATION_NAMES,
  migrateSchema,
} from '../../libs/installation/src/migrate-schema.js';
import { createTestDatabase, type TestDatabase } from '../support/postgres.js';

const RECORDED = 'select name from schema_migrations order by timestamp';

/** Names of all migrations, in the order of the timestamps at the end of the names. */
const IN_ORDER = MIGRATION_NAMES.toSorted((a, b) => Number(a.slice(-13)) - Number(b.slice(-13)));
/** Migrations after the baselines, in the order of their timestamps. */
const LATER = LIB_SCHEMAS.flatMap(({ migrations = [] }) => migrations).toSorted(
  (a, b) => IN_ORDER.indexOf(a.name) - IN_ORDER.indexOf(b.name),
);

describe('a database that was made before the baselines', () => {
  let database: TestDatabase;
  let postgres: Client;

  beforeEach(async () => {
    database = await createTestDatabase();
    postgres = new Client({ connectionString: database.url });
    await postgres.connect();
    const runner = { query: async (text: string): Promise<unknown> => (await postgres.query(text)).rows };
    for (const Migration of LATER.toReversed()) await new Migration().down(runner as QueryRunner);
    await postgres.query(`insert into workspaces (id, name) values ('wsp_a', 'kept')`);
  });
  afterEach(async () => {
    await postgres.end();
    await database.drop();
  });

  const recorded = async (): Promise<string[]> =>
    (await postgres.query<{ name: string }>(RECORDED)).rows.map(({ name }) => name);
  /**
   * Simulates a database from before the baselines: records `count` old migrations instead of the baselines. `last` is
   * the name of the newest old migration.
   */
  const recordFormer = async (count: number, last: string): Promise<void> => {
    await postgres.query('delete from schema_migrations');
    await postgres.query(
      `insert into schema_migrations (timestamp, name)
       select 1763700000000 + n, 'Former' || n from generate_series(1, $1::integer - 1) n`,
      [count],
    );
    await postgres.query('insert into schema_migrations (timestamp, name) values ($1, $2)', [last.slice(-13), last]);
  };

  it('records the baselines and keeps its rows', async () => {
    const { count, last } = FORMER_MIGRATIONS;
    await recordFormer(count, last);
    expect(await migrateSchema(database.url)).toEqual({
      migrations: LATER.map(({ name }) => name),
      functionSets: [],
    });
    const names = await recorded();
    expect(names).toHaveLength(count + MIGRATION_NAMES.length);
    expect(names.slice(count)).toEqual(IN_ORDER);
    expect((await postgres.query('select name from workspaces')).rows).toEqual([{ name: 'kept' }]);
    expect(await migrateSchema(database.url)).toEqual({ migrations: [], functionSets: [] });
    expect(await recorded()).toEqual(names);
  });

  it.each([
    ['one is missing', FORMER_MIGRATIONS.count - 1, FORMER_MIGRATIONS.last],
    ['the last one is missing', FORMER_MIGRATIONS.count, 'ReaderVersion1767010000100'],
  ])('is refused and left as it is where %s', async (_case, count, last) => {
    await recordFormer(count, last);
    const names = await recorded();
    await expect(migrateSchema(database.url)).rejects.toThrow(
      `${count} of the ${FORMER_MIGRATIONS.count} migrations that the baselines replace`,
    );
    expect(await recorded()).toEqual(names);
    expect((await postgres.query('select name from workspaces')).rows).toEqual([{ name: 'kept' }]);
  });
});

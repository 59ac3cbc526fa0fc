import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { createDataSource, migrateDatabase, migrationsOf } from '@app/platform/database';
import { DataSource } from 'typeorm';
import { FORMER_MIGRATIONS, LIB_SCHEMAS } from '../../libs/installation/src/migrate-schema.js';
import { createEmptyTestDatabase, createTestDatabase, type TestDatabase } from '../support/postgres.js';

type EntityClass = new () => object;

/**
 * Reads the complete definition of the tables from the catalogue of Postgres. A comparison by TypeORM does not suffice,
 * because TypeORM quotes the defaults of a bigint and does not support partitions.
 */
const CATALOGUE = `
  select 'column' as kind, table_name as owner, column_name as name,
      concat_ws(' ', data_type, udt_name, collation_name, datetime_precision, is_nullable,
        regexp_replace(column_default, '^''(\\d+)''::bigint$', '\\1')) as definition
    from information_schema.columns where table_schema = 'public'
  union all
  select 'constraint', conrelid::regclass::text, conname, pg_get_constraintdef(oid)
    from pg_constraint where connamespace = 'public'::regnamespace
  union all
  select 'index', tablename, indexname, replace(indexdef, ' ON ONLY ', ' ON ') from pg_indexes where schemaname = 'public'
  order by 1, 2, 3`;

interface Part {
  kind: string;
  owner: string;
  name: string;
  definition: string;
}

const nameOf = ({ kind, owner, name }: Part): string => `${kind} ${owner}.${name}`;

async function readEntities(): Promise<EntityClass[]> {
  const libs = join(import.meta.dirname, '../../libs');
  const files = (await readdir(libs, { recursive: true })).filter((path) => path.endsWith('.entity.ts'));
  const modules = await Promise.all(files.map((path) => import(join(libs, path)) as Promise<Record<string, unknown>>));
  return modules.flatMap((each) => Object.values(each)).filter((value) => typeof value === 'function') as EntityClass[];
}

describe('the schema', () => {
  const databases: TestDatabase[] = [];
  const sources: DataSource[] = [];

  const connect = async (made: Promise<TestDatabase>, entities: EntityClass[] = []): Promise<DataSource> => {
    const database = await made;
    databases.push(database);
    const settings = createDataSource({ url: database.url, poolSize: 2, applicationName: 'schema-test' }).options;
    const source = await new DataSource({ ...settings, entities, migrations: migrationsOf(LIB_SCHEMAS) }).initialize();
    sources.push(source);
    return source;
  };

  afterAll(async () => {
    for (const source of sources) await source.destroy();
    for (const database of databases) await database.drop();
  });

  it('has exactly the columns of the entities', async () => {
    const entities = await readEntities();
    const generated = await connect(createEmptyTestDatabase(), entities);
    const migrated = await connect(createTestDatabase());
    const [currentXid] = await migrated.query<{ definition: string }[]>(
      "select pg_get_functiondef(oid) as definition from pg_proc where proname = 'current_xid'",
    );
    await generated.query('create schema run_machine');
    await generated.query(currentXid!.definition);
    await generated.synchronize();
    const columnsOf = async (source: DataSource): Promise<Part[]> =>
      (await source.query<Part[]>(CATALOGUE)).filter(({ kind }) => kind === 'column');
    const wanted = await columnsOf(generated);
    expect(new Set(wanted.map(({ owner }) => owner)).size).toBe(entities.length);
    const names = new Set(wanted.map(nameOf));
    expect((await columnsOf(migrated)).filter((part) => names.has(nameOf(part)))).toEqual(wanted);
  });

  it('can be reverted and migrated again', async () => {
    const source = await connect(createEmptyTestDatabase());
    const catalogue = () => source.query<unknown[]>(CATALOGUE);
    const tables = LIB_SCHEMAS.map(({ baseline, migrations }) => ({ baseline, migrations }));
    await migrateDatabase(databases.at(-1)!.url, tables, FORMER_MIGRATIONS);
    const first = await catalogue();
    expect(first.length).toBeGreaterThan(100);
    const applied = await source.query<{ name: string }[]>('select name from schema_migrations');
    for (const { name } of applied) {
      expect(name).toMatch(/\d{13}$/);
      await source.undoLastMigration({ transaction: 'each' });
    }
    const left = await source.query<{ name: string }[]>(
      "select tablename as name from pg_tables where schemaname = 'public' order by 1",
    );
    expect(left).toEqual([{ name: 'schema_functions' }, { name: 'schema_migrations' }]);
    await source.runMigrations({ transaction: 'each' });
    expect(await catalogue()).toEqual(first);
  });
});

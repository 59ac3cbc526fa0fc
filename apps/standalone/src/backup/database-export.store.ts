import { Client, escapeIdentifier } from 'pg';
import { to as copyTo } from 'pg-copy-streams';

import type { BackupPartition, BackupRecord, BackupSequence, BackupTable } from './backup-records.js';

/** Because of these settings, the output of COPY does not depend on the configuration and the version of the server. */
export const COPY_SESSION = `
  set client_encoding to 'UTF8'; set datestyle to 'ISO, MDY'; set intervalstyle to 'postgres'; set timezone to 'UTC';
  set extra_float_digits to 1; set bytea_output to 'hex'; set xmloption to 'content'; set search_path to '';
  set row_security to off; set statement_timeout to 0; set lock_timeout to 0;
  set idle_in_transaction_session_timeout to 0`;

/**
 * Excludes the tables of the queue, because the service fills the queue again from the runs. Excludes the records of
 * applied migrations, because the migrate step writes them in the new database.
 */
const IS_COPIED = `n.nspname !~ '^pg_' and n.nspname not in ('information_schema', 'bullmq')
    and not (n.nspname = 'public' and c.relname in ('schema_migrations', 'schema_functions'))
    and not exists (select from pg_depend e where e.classid = 'pg_class'::regclass and e.objid = c.oid and e.deptype = 'e')`;

/**
 * The rows of partitions are read through their table. Columns whose default is the current transaction id are
 * excluded, because a transaction id is meaningless on another server.
 */
const TABLES = `
  select n.nspname as schema, c.relname as name, array_agg(a.attname::text order by a.attnum) as columns
    from pg_class c join pg_namespace n on n.oid = c.relnamespace
    join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped and a.attgenerated = ''
    left join pg_attrdef d on d.adrelid = c.oid and d.adnum = a.attnum
   where c.relkind in ('r', 'p') and not c.relispartition and ${IS_COPIED}
     and coalesce(pg_get_expr(d.adbin, d.adrelid), '') !~ 'current_xid\\(\\)'
   group by 1, 2 order by 1, 2`;

const PARTITIONS = `
  select p.relname as "table", c.relname as name, pg_get_expr(c.relpartbound, c.oid) as bound
    from pg_inherits i join pg_class c on c.oid = i.inhrelid and c.relkind = 'r'
    join pg_class p on p.oid = i.inhparent and p.relkind = 'p' join pg_namespace n on n.oid = p.relnamespace
   where n.nspname = 'public' order by 1, 2`;

/** A sequence that was never used has no value and is excluded. */
const SEQUENCES = `
  select schemaname as schema, sequencename as name, last_value::text as value from pg_sequences
   where last_value is not null and schemaname !~ '^pg_' and schemaname not in ('information_schema', 'bullmq')
   order by 1, 2`;

/** Number of ids that one statement reads. */
const PAGE = 1_000;

const FILE_SUMS = `select count(*)::float8 as count, coalesce(sum(bytes), 0)::float8 as bytes from public.files
   where status = 'ready'`;

const FILE_IDS = `select id from public.files where status = 'ready' and id > $1 order by id limit $2`;

export interface DatabaseDescription {
  postgres: string;
  migrations: string[];
  tables: BackupTable[];
  partitions: BackupPartition[];
}

/** Until the store is closed, the schema cannot be changed. */
export class DatabaseExportStore {
  private constructor(
    private readonly client: Client,
    readonly description: DatabaseDescription,
  ) {}

  static async open(url: string): Promise<DatabaseExportStore> {
    const client = new Client({ connectionString: url, application_name: 'backup' });
    // Without a listener, the `error` event would also end the process.
    client.on('error', () => undefined);
    await client.connect();
    try {
      await client.query(COPY_SESSION);
      const before = await client.query<BackupTable>(TABLES);
      await client.query('begin isolation level repeatable read, read only');
      // Without the lock, another session could rewrite a table after the snapshot. The table would then appear empty
      // in the snapshot.
      await client.query(['lock table', before.rows.map(nameOf).join(', '), 'in access share mode'].join(' '));
      return new DatabaseExportStore(client, await describe(client));
    } catch (error) {
      await client.end();
      throw error;
    }
  }

  /** Inserts the records of `files`. Calls `report` with the current table and the number of bytes read so far. */
  async *records(
    report: (table: string, bytes: number) => void,
    files: AsyncIterable<BackupRecord>,
  ): AsyncGenerator<BackupRecord, void> {
    const { tables } = this.description;
    let [bytes, allRows] = [0, 0];
    for (const table of tables) {
      yield { kind: 'table', table };
      report(table.name, bytes);
      const columns = table.columns.map((column) => escapeIdentifier(column)).join(', ');
      const copy = this.client.query(
        copyTo(['copy (select', columns, 'from', nameOf(table), ') to stdout'].join(' '), {
          highWaterMark: 256 * 1024,
        }),
      );
      for await (const data of copy as AsyncIterable<Buffer>) {
        yield { kind: 'rows', data };
        report(table.name, (bytes += data.length));
      }
      await this.client.query('select');
      yield { kind: 'tableEnd', rows: copy.rowCount };
      allRows += copy.rowCount;
    }
    const { rows: sequences } = await this.client.query<BackupSequence>(SEQUENCES);
    yield { kind: 'sequences', sequences };
    yield* files;
    yield { kind: 'end', tables: tables.length, rows: allRows };
  }

  /** Returns the number and the size of the files of workspaces, or undefined if the schema has no files. */
  async fileSums(): Promise<{ count: number; bytes: number } | undefined> {
    if (!this.description.tables.some(({ schema, name }) => schema === 'public' && name === 'files')) return undefined;
    return (await this.client.query<{ count: number; bytes: number }>(FILE_SUMS)).rows[0];
  }

  /** Yields the ids of the files of the snapshot. Call it between two other reads, and not while one is in progress. */
  async *fileIds(): AsyncGenerator<string, void> {
    for (let last = ''; ;) {
      const { rows } = await this.client.query<{ id: string }>(FILE_IDS, [last, PAGE]);
      for (const { id } of rows) yield id;
      if (rows.length < PAGE) return;
      last = rows.at(-1)?.id ?? '';
    }
  }

  async close(): Promise<void> {
    await this.client.end();
  }
}

async function describe(client: Client): Promise<DatabaseDescription> {
  const { rows: tables } = await client.query<BackupTable>(TABLES);
  const { rows: partitions } = await client.query<BackupPartition>(PARTITIONS);
  const { rows: migrations } = await client.query<{ name: string }>(
    'select name from public.schema_migrations order by timestamp, name',
  );
  const { rows: versions } = await client.query<{ version: string }>(
    `select current_setting('server_version') as version`,
  );
  return {
    postgres: versions[0]?.version ?? '',
    migrations: migrations.map(({ name }) => name),
    tables,
    partitions,
  };
}

function nameOf({ schema, name }: BackupTable): string {
  return `${escapeIdentifier(schema)}.${escapeIdentifier(name)}`;
}

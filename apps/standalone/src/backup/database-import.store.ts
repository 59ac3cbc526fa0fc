import { pipeline } from 'node:stream/promises';

import { ADOPT_STORAGE } from '@app/files';
import { Client, escapeIdentifier, escapeLiteral } from 'pg';
import { from as copyFrom } from 'pg-copy-streams';

import { OperatorError } from '../operator-error.js';
import type { BackupPartition, BackupRecord, BackupSequence, BackupTable } from './backup-records.js';
import { COPY_SESSION } from './database-export.store.js';

const RANGE = /^FOR VALUES FROM \((MINVALUE|'[^']*')\) TO \((MAXVALUE|'[^']*')\)$/;

const COLUMNS = `
  select n.nspname as schema, c.relname as name, array_agg(a.attname::text) as columns
    from pg_class c join pg_namespace n on n.oid = c.relnamespace
    join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped and a.attgenerated = ''
   where c.relkind in ('r', 'p') and not c.relispartition group by 1, 2`;

const PARTITIONS_OF =
  'select c.relname as name from pg_inherits i join pg_class c on c.oid = i.inhrelid where i.inhparent = $1::regclass';

const SET_SEQUENCE = `
  select setval(format('%I.%I', schemaname, sequencename)::regclass, greatest($3::bigint, last_value)) from pg_sequences
   where schemaname = $1 and sequencename = $2`;

/** Puts one file of a backup in its place. */
export type PlaceFile = (id: string, pieces: AsyncIterable<Buffer>) => Promise<void>;

export class DatabaseImportStore {
  private constructor(private readonly client: Client) {}

  static async open(url: string): Promise<DatabaseImportStore> {
    const client = new Client({ connectionString: url, application_name: 'restore' });
    // Without a listener, the `error` event would also end the process.
    client.on('error', () => undefined);
    await client.connect();
    await client.query(COPY_SESSION);
    // Disables foreign keys and triggers, because tables are loaded in the order of their names, and the rows already
    // contain the effects of the triggers.
    await client.query('set session_replication_role to replica');
    return new DatabaseImportStore(client);
  }

  async close(): Promise<void> {
    await this.client.end();
  }

  /**
   * Calls `report` with the current table and the number of bytes loaded so far, and `place` with each file. Returns the
   * sequences of the backup and the number of rows.
   * @throws OperatorError if the content does not match the schema
   */
  async load(
    { tables, partitions }: { tables: readonly BackupTable[]; partitions: readonly BackupPartition[] },
    records: AsyncIterable<BackupRecord>,
    report: (table: string, bytes: number) => void,
    place: PlaceFile,
  ): Promise<{ sequences: BackupSequence[]; rows: number }> {
    await this.assertFits(tables);
    await this.client.query('begin');
    await this.createPartitions(partitions);
    await this.client.query(['truncate', tables.map(nameOf).join(', ')].join(' '));
    const result = await this.copyAll(tables, records, report, place);
    await this.client.query('commit');
    return result;
  }

  /** Call this method again after the schema update, which may create further sequences. */
  async setSequences(sequences: readonly BackupSequence[]): Promise<void> {
    for (const { schema, name, value } of sequences) await this.client.query(SET_SEQUENCE, [schema, name, value]);
  }

  /** Without it, the planner would plan queries as for empty tables. */
  async analyze(): Promise<void> {
    await this.client.query('analyze');
  }

  /**
   * Makes the database belong to the storage with this marker. If it has none, the next api marks it. An external storage
   * keeps its marker.
   */
  async adoptStorage(marker: string | undefined): Promise<void> {
    await this.client.query(ADOPT_STORAGE, [marker]);
  }

  private async copyAll(
    tables: readonly BackupTable[],
    records: AsyncIterable<BackupRecord>,
    report: (table: string, bytes: number) => void,
    place: PlaceFile,
  ): Promise<{ sequences: BackupSequence[]; rows: number }> {
    const source = new RecordSource(records);
    let [bytes, allRows] = [0, 0];
    for (const table of tables) {
      report(table.name, bytes);
      const { table: next } = await source.next('table');
      if (nameOf(next) !== nameOf(table)) throw misfit(table.name);
      const copy = this.client.query(copyFrom(copyStatement(table)));
      await pipeline(
        source.pieces('rows', (length) => report(table.name, (bytes += length))),
        copy,
      );
      const { rows } = await source.next('tableEnd');
      if (copy.rowCount !== rows) throw misfit(table.name);
      allRows += rows;
    }
    const { sequences } = await source.next('sequences');
    for await (const { id, pieces } of source.files((length) => report('files', (bytes += length))))
      await place(id, pieces);
    const { rows } = await source.next('end');
    if (rows !== allRows) throw misfit('the number of rows');
    return { sequences, rows };
  }

  private async assertFits(tables: readonly BackupTable[]): Promise<void> {
    const { rows } = await this.client.query<BackupTable>(COLUMNS);
    const known = new Map(rows.map((table) => [nameOf(table), new Set(table.columns)]));
    for (const table of tables) {
      const columns = known.get(nameOf(table));
      if (columns === undefined || !table.columns.every((column) => columns.has(column))) throw misfit(table.name);
    }
  }

  private async createPartitions(partitions: readonly BackupPartition[]): Promise<void> {
    for (const table of new Set(partitions.map((each) => each.table))) {
      const parent = publicName(table);
      const { rows } = await this.client.query<{ name: string }>(PARTITIONS_OF, [parent]);
      for (const { name } of rows) await this.client.query(['drop table', publicName(name)].join(' '));
      for (const { name, bound } of partitions.filter((each) => each.table === table)) {
        await this.client.query(
          ['create table', publicName(name), 'partition of', parent, rangeClause(bound)].join(' '),
        );
      }
    }
  }
}

class RecordSource {
  private readonly iterator: AsyncIterator<BackupRecord>;
  private following: BackupRecord | undefined;

  constructor(records: AsyncIterable<BackupRecord>) {
    this.iterator = records[Symbol.asyncIterator]();
  }

  /** Skips `keys`, because encryption keys are read separately. */
  async next<Kind extends BackupRecord['kind']>(kind: Kind): Promise<Extract<BackupRecord, { kind: Kind }>> {
    const record = this.following ?? (await this.read());
    this.following = undefined;
    if (record.kind === 'keys' && kind !== 'keys') return this.next(kind);
    if (record.kind !== kind) throw misfit(record.kind);
    return record as Extract<BackupRecord, { kind: Kind }>;
  }

  /** Yields the files up to the next record of another kind. Each one must be read before the next one. */
  async *files(report: (length: number) => void): AsyncGenerator<{ id: string; pieces: AsyncIterable<Buffer> }, void> {
    for (;;) {
      const record = this.following ?? (await this.read());
      this.following = record;
      if (record.kind !== 'file') return;
      this.following = undefined;
      yield { id: record.id, pieces: this.wholeFile(report) };
    }
  }

  private async *wholeFile(report: (length: number) => void): AsyncGenerator<Buffer, void> {
    let length = 0;
    for await (const piece of this.pieces('bytes', report)) {
      length += piece.length;
      yield piece;
    }
    if ((await this.next('fileEnd')).bytes !== length) throw misfit('a file');
  }

  async *pieces(kind: 'rows' | 'bytes', report: (length: number) => void): AsyncGenerator<Buffer, void> {
    for (;;) {
      const record = await this.read();
      if (record.kind !== kind) {
        this.following = record;
        return;
      }
      yield record.data;
      report(record.data.length);
    }
  }

  private async read(): Promise<BackupRecord> {
    const result = await this.iterator.next();
    if (result.done) throw misfit('the end');
    return result.value;
  }
}

/** `bound` comes from the backup file and is not trusted, so its values are parsed and quoted again. */
function rangeClause(bound: string): string {
  const [, from = '', to = ''] = RANGE.exec(bound) ?? [];
  if (from === '') throw misfit('a partition');
  const quoted = (value: string) => (value.startsWith("'") ? escapeLiteral(value.slice(1, -1)) : value);
  return `for values from (${quoted(from)}) to (${quoted(to)})`;
}

function copyStatement(table: BackupTable): string {
  const columns = table.columns.map((column) => escapeIdentifier(column)).join(', ');
  return `copy ${nameOf(table)} (${columns}) from stdin`;
}

function nameOf({ schema, name }: BackupTable): string {
  return `${escapeIdentifier(schema)}.${escapeIdentifier(name)}`;
}

function publicName(name: string): string {
  return `public.${escapeIdentifier(name)}`;
}

function misfit(where: string): OperatorError {
  return new OperatorError(
    `The content of the backup does not match the schema in its header (${where}). Use another backup.`,
  );
}

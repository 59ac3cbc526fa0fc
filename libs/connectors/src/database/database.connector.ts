import { type EgressClient, EgressError } from '@app/platform/egress';
import { openReader, RowPace, type TableReader, TableReadError, type TableRow } from '@app/platform/sql-clients';
import { type Connector, connectorKind, type ItemBatch, type SourceVisit } from '../contract/connector.js';
import { cursorReader, DuplicateKeys, type ItemReading, type KnownDocument } from '../contract/items.js';
import { SourceError } from '../contract/connector.js';
import { DATABASE_CONFIG, type DatabaseConfig } from './database-config.js';
import { cellText, rowDocument } from './row-document.js';
import { bareSelect, checkpointKey, orderCheckpoint } from './source-query.js';

const BATCH = 200;
const KEY_TEXT = 'service_key';

interface Dialect {
  open: (dsn: string) => Promise<TableReader>;
  asText: (column: string) => string;
  quote: (column: string) => string;
  isOneOf: (text: string, keys: readonly string[]) => Condition;
  isFrom: (column: string, value: string) => Condition;
  sortsWideRows: boolean;
}

interface Condition {
  condition: string;
  values: unknown[];
}

interface RowListing {
  select: string;
  values: unknown[];
  /** The column by which the rows are ordered; undefined if the database cannot order them. */
  place: string | undefined;
}

interface Reading {
  reader: TableReader;
  pace: RowPace;
}

interface Row {
  key: string;
  /** Identifies the version of the row. Undefined if the source has no `updated_at_column`. */
  cursor: string | undefined;
  /** With `updated_at_column`, only key and time are read at first. */
  content: TableRow | undefined;
}

/**
 * With `updated_at_column`, the connector lists the keys and times of all rows and reads the contents of changed rows
 * only.
 */
abstract class DatabaseConnector implements Connector {
  readonly parallelism = 1;
  readonly isAuthoritative = false;
  protected abstract readonly dialect: Dialect;

  async *enumerate(visit: SourceVisit): AsyncGenerator<ItemBatch> {
    const config = visit.config as DatabaseConfig;
    const reader = await this.open(config.dsn);
    const close = (): void => reader.close();
    visit.signal.addEventListener('abort', close);
    try {
      const keys = new DuplicateKeys();
      const pace = new RowPace(BATCH);
      const { select, values, place } = await this.rowListing(reader, config, checkpointKey(visit.checkpoint, config));
      for await (const rows of reader.batches(select, BATCH, values)) {
        const batch = this.batch(rows, { reader, pace }, keys, visit);
        yield place === undefined ? batch : { ...batch, checkpoint: orderCheckpoint(rows.at(-1)?.[place], config) };
      }
    } catch (error) {
      visit.signal.throwIfAborted();
      throw asSourceError(error);
    } finally {
      visit.signal.removeEventListener('abort', close);
      close();
    }
  }

  private async open(dsn: string): Promise<TableReader> {
    try {
      return await this.dialect.open(dsn);
    } catch (error) {
      throw asSourceError(error);
    }
  }

  private async rowListing(reader: TableReader, config: DatabaseConfig, left?: string): Promise<RowListing> {
    const { query, key_column: key, updated_at_column: updated } = config;
    const { asText, quote, sortsWideRows, isFrom } = this.dialect;
    const from = `from (${bareSelect(query)}) as documents`;
    const column = `documents.${quote(key)}`;
    const isOrdered =
      (updated !== null || sortsWideRows) &&
      (await reader.orders(`select ${column} ${from} order by ${column} limit 0`));
    const named = (name: string): string => `${asText(name)} as ${quote(name)}`;
    const all = isOrdered ? `documents.*, ${asText(key)} as ${KEY_TEXT}` : '*';
    const select = `select ${updated === null ? all : `${named(key)}, ${named(updated)}`} ${from}`;
    if (!isOrdered) return { select, values: [], place: undefined };
    // Rows whose key is null are also selected, so that the sync fails and reports them.
    const { condition, values } = left === undefined ? { condition: '', values: [] } : isFrom(column, left);
    const where = condition === '' ? '' : `where (${condition} or ${column} is null)`;
    return { select: `${select} ${where} order by ${column}`, values, place: updated === null ? KEY_TEXT : key };
  }

  private batch(rows: TableRow[], reading: Reading, keys: DuplicateKeys, visit: SourceVisit): ItemBatch {
    const config = visit.config as DatabaseConfig;
    const cursorOf = cursorReader([config.query, config.title_column, config.text_columns, config.url_column]);
    const found = rows.map((row) => rowOf(row, config, cursorOf)).filter(({ key }) => keys.isNew(key));
    const contentOf = this.contents(found, reading, config);
    const readRow = async (row: Row, known: KnownDocument | undefined): Promise<ItemReading> => {
      if (row.cursor !== undefined && known?.validator?.cursor === row.cursor) return { kind: 'unchanged' };
      const content = await contentOf(row);
      // The row was deleted after its key was listed. This is possible only in a database without snapshots.
      if (!content) return { kind: 'absent' };
      return { kind: 'document', document: rowDocument(content, row.key, row.cursor, config) };
    };
    return { items: found.map((row) => ({ key: row.key, readItem: (known) => readRow(row, known) })) };
  }

  /** It reads several rows at once, because the caller requests the rows in order. */
  private contents(
    found: readonly Row[],
    { reader, pace }: Reading,
    config: DatabaseConfig,
  ): (row: Row) => Promise<TableRow | undefined> {
    const { asText, isOneOf } = this.dialect;
    const read = async (rows: readonly Row[]): Promise<ReadonlyMap<string, TableRow>> => {
      const { condition, values } = isOneOf(asText(config.key_column), rows.map(({ key }) => key)); // prettier-ignore
      const select = `select documents.*, ${asText(config.key_column)} as ${KEY_TEXT} from (${bareSelect(config.query)}) as documents where ${condition}`;
      const contents = await reader.rows(select, values);
      pace.observeRows(contents);
      return new Map(contents.map((content) => [String(content[KEY_TEXT]), content]));
    };
    let [here, contents]: [readonly Row[], ReadonlyMap<string, TableRow>] = [[], new Map()];
    return async (row) => {
      if (row.content) return row.content;
      if (!here.includes(row)) {
        const from = found.indexOf(row);
        here = found.slice(from, from + pace.rows);
        contents = new Map();
        contents = await read(here);
      }
      return contents.get(row.key);
    };
  }
}

class PostgresConnector extends DatabaseConnector {
  protected readonly dialect: Dialect = {
    open: (dsn) => openReader('postgres', dsn, this.egress.guard),
    quote: (column) => `"${column}"`,
    asText: (column) => `"${column}"::text`,
    isOneOf: (text, keys) => ({ condition: `${text} = any ($1::text[])`, values: [keys] }),
    isFrom: (column, value) => ({ condition: `${column} >= $1`, values: [value] }),
    sortsWideRows: true,
  };

  constructor(private readonly egress: EgressClient) {
    super();
  }
}

class MysqlConnector extends DatabaseConnector {
  protected readonly dialect: Dialect = {
    open: (dsn) => openReader('mysql', dsn, this.egress.guard),
    quote: (column) => `\`${column}\``,
    asText: (column) => `cast(\`${column}\` as char)`,
    // Hexadecimal literals are compared byte by byte under any collation. They cannot contain SQL.
    isOneOf: (text, keys) => ({ condition: `${text} in (${keys.map(hexadecimal).join(', ')})`, values: [] }),
    // With the prefix `_utf8mb4`, MySQL compares the literal by the collation of the column.
    isFrom: (column, value) => ({ condition: `${column} >= _utf8mb4 ${hexadecimal(value)}`, values: [] }),
    // The sort buffer of MySQL may be too small for one row.
    sortsWideRows: false,
  };

  constructor(private readonly egress: EgressClient) {
    super();
  }
}

export const POSTGRES = connectorKind(
  { title: 'PostgreSQL', description: 'Rows of a query in a PostgreSQL database.', auth: 'secret' },
  DATABASE_CONFIG,
  ({ egress }) => new PostgresConnector(egress),
);
export const MYSQL = connectorKind(
  { title: 'MySQL', description: 'Rows of a query in a MySQL database.', auth: 'secret' },
  DATABASE_CONFIG,
  ({ egress }) => new MysqlConnector(egress),
);

function hexadecimal(text: string): string {
  return `x'${Buffer.from(text).toString('hex')}'`;
}

function rowOf(row: TableRow, config: DatabaseConfig, cursorOf: ReturnType<typeof cursorReader>): Row {
  const key = cellText(row[config.key_column]);
  if (key === undefined) {
    const why = config.key_column in row ? 'returned a row without a value in' : 'returns no column';
    throw new SourceError(
      'key_missing',
      `The query ${why} ${config.key_column}, but this column is the key of every document. Correct the query or key_column.`,
    );
  }
  const updated = config.updated_at_column;
  if (updated === null) return { key, cursor: undefined, content: row };
  return { key, cursor: cursorOf(cellText(row[updated])), content: undefined };
}

const CODES = {
  unreachable: 'database_unreachable',
  refused: 'access_denied',
  query: 'query_failed',
  protocol: 'bad_answer',
} as const;

function asSourceError(error: unknown): unknown {
  if (error instanceof EgressError) return new SourceError('database_unreachable', error.message, { cause: error });
  if (!(error instanceof TableReadError)) return error;
  const code = CODES[error.reason];
  return new SourceError(code, error.message, { cause: error });
}

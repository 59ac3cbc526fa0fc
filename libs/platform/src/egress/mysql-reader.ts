import { errorText } from '@app/kernel';
import { connect as openSocket, type Socket } from 'node:net';
import type { Readable } from 'node:stream';
import mysql, { type Connection, type ConnectionOptions, createConnection, type FieldPacket } from 'mysql2';
import type { HostGuard } from './host-guard.js';
import { RowPace } from './row-pace.js';
import { TableReadError, type TableReader, type TableRow } from './table-reader.js';

const CONNECT_MILLIS = 10_000;
const STATEMENT_MILLIS = 120_000;
const MYSQL_PORT = 3_306;

/**
 * A batch may take longer to be written than the server waits for somebody who reads slowly (60 s by default).
 */
const BEGIN = [
  'set session net_write_timeout = 1800',
  'set session transaction read only',
  'start transaction with consistent snapshot, read only',
];

/** Each on a connection of its own: rows are read while others are still coming. */
interface Sessions {
  rows: Connection;
  streamed: Connection;
}

/** A MySQL or MariaDB database of somebody else's, opened for reading. */
export class MysqlReader implements TableReader {
  /** Rows that are being read. */
  private readonly open = new Set<Readable>();

  private constructor(private readonly sessions: Sessions) {}

  /**
   * Connects to an address that the guard has vetted; every transaction of the session is read-only.
   * @throws TableReadError; EgressError where the host is refused
   */
  static async open(dsn: string, guard: HostGuard): Promise<MysqlReader> {
    const target = targetOf(dsn);
    const [address] = await guard.resolve(target.hostname, target.port);
    const begun: Connection[] = [];
    const begin = async (): Promise<Connection> => {
      const connection = createConnection(settingsOf(target, address?.address ?? ''));
      begun.push(connection);
      // What breaks the connection also rejects the query under way.
      connection.on('error', () => undefined);
      const session = connection.promise();
      await session.connect();
      for (const statement of BEGIN) await session.query(statement);
      return connection;
    };
    try {
      return new MysqlReader({ streamed: await begin(), rows: await begin() });
    } catch (cause) {
      for (const connection of begun) connection.destroy();
      throw connectFailure(target.hostname, cause);
    }
  }

  /** By the text protocol: rows come no faster than they are read, and one statement is all that is taken. */
  async *batches(select: string, size: number, values: readonly unknown[] = []): AsyncGenerator<TableRow[]> {
    const pace = new RowPace(size);
    const rows = this.sessions.streamed
      .query({ sql: select, values: values.map(String) })
      .stream({ highWaterMark: pace.rows });
    this.open.add(rows);
    let batch: TableRow[] = [];
    try {
      for await (const row of rows as AsyncIterable<TableRow>) {
        batch.push(row);
        if (batch.length < pace.rows) continue;
        pace.met(batch);
        yield batch;
        batch = [];
      }
    } catch (cause) {
      throw queryFailure(cause);
    } finally {
      this.open.delete(rows);
    }
    if (batch.length > 0) yield batch;
  }

  /** Whole numbers and texts; an ENUM, for one, is sorted by its place and compared by its name. */
  async orders(select: string): Promise<boolean> {
    try {
      const [, [field]] = await this.sessions.rows.promise().query({ sql: select, timeout: STATEMENT_MILLIS });
      return field !== undefined && isPlain(field);
    } catch {
      return false;
    }
  }

  async rows(select: string, values: readonly unknown[]): Promise<TableRow[]> {
    try {
      const query = { sql: select, values: values.map(String), timeout: STATEMENT_MILLIS };
      const [rows] = await this.sessions.rows.promise().query(query);
      return Array.isArray(rows) ? (rows as TableRow[]) : [];
    } catch (cause) {
      throw queryFailure(cause);
    }
  }

  close(): void {
    const { rows, streamed } = this.sessions;
    for (const connection of [rows, streamed]) connection.destroy();
    // A connection that is destroyed tells nobody who reads from it.
    for (const stream of this.open) stream.destroy(new TableReadError('query', 'The connection has been closed.'));
  }
}

interface Target {
  url: URL;
  hostname: string;
  port: number;
}

function targetOf(dsn: string): Target {
  if (URL.canParse(dsn)) {
    const url = new URL(dsn);
    if (/^(mysql|mariadb):$/.test(url.protocol) && url.hostname !== '')
      return { url, hostname: url.hostname.replace(/^\[|\]$/g, ''), port: Number(url.port) || MYSQL_PORT };
  }
  throw new TableReadError('unreachable', 'The secret is no DSN such as mysql://user:password@host:3306/database.');
}

/** The connection goes to the vetted address; the certificate is checked for the name. Other parameters of the DSN mean nothing. */
function settingsOf({ url, hostname, port }: Target, address: string): ConnectionOptions {
  const mode = url.searchParams.get('ssl-mode')?.toUpperCase() ?? 'DISABLED';
  const isChecked = mode === 'VERIFY_IDENTITY' || mode === 'VERIFY_CA';
  return {
    // For the certificate; the socket is the one below.
    host: hostname,
    port,
    stream: (): Socket => openSocket({ host: address, port, timeout: CONNECT_MILLIS }),
    user: decodeURIComponent(url.username),
    password: decodeURIComponent(url.password),
    database: decodeURIComponent(url.pathname.slice(1)),
    ...((isChecked || mode === 'REQUIRED') && { ssl: { rejectUnauthorized: isChecked, verifyIdentity: isChecked } }),
    connectTimeout: CONNECT_MILLIS,
    charset: 'utf8mb4',
    timezone: 'Z',
    supportBigNumbers: true,
    bigNumberStrings: true,
    // Files of this machine are nobody's to ask for.
    flags: ['-LOCAL_FILES'],
    multipleStatements: false,
  };
}

const WHOLE_NUMBERS: readonly unknown[] = [
  mysql.Types.TINY,
  mysql.Types.SHORT,
  mysql.Types.INT24,
  mysql.Types.LONG,
  mysql.Types.LONGLONG,
];
const TEXTS: readonly unknown[] = [mysql.Types.VARCHAR, mysql.Types.VAR_STRING, mysql.Types.STRING];
/** Bits of a column's flags (MySQL's `field_types.h`): ENUM and SET, which are sent as texts. */
const NUMBERED = 256 | 2_048;
/** What is called a character set where there are bytes. */
const BINARY = 63;

function isPlain({ columnType, flags, characterSet }: FieldPacket): boolean {
  if (WHOLE_NUMBERS.includes(columnType)) return true;
  return TEXTS.includes(columnType) && (Number(flags) & NUMBERED) === 0 && characterSet !== BINARY;
}

function queryFailure(cause: unknown): TableReadError {
  if (cause instanceof TableReadError) return cause;
  return new TableReadError('query', `The database says: ${errorText(cause)}`, { cause });
}

function connectFailure(hostname: string, cause: unknown): TableReadError {
  const { code = '', message } = cause as { code?: string; message: string };
  if (
    ['ER_ACCESS_DENIED_ERROR', 'ER_DBACCESS_DENIED_ERROR', 'ER_BAD_DB_ERROR', 'ER_NOT_SUPPORTED_AUTH_MODE'].includes(
      code,
    )
  )
    // prettier-ignore
    return new TableReadError('refused', `The database refuses the connection: ${message}`, { cause });
  return new TableReadError('unreachable', `The database at ${hostname} cannot be reached: ${message || code}`, { cause }); // prettier-ignore
}

import { connect as openSocket, type Socket } from 'node:net';
import type { Readable } from 'node:stream';
import { errorText } from '@app/kernel';
import mysql, { type Connection, type ConnectionOptions, createConnection, type FieldPacket } from 'mysql2';
import { plainRows } from './plain-rows.js';
import { ReceivedBytes } from '@app/platform/sandbox';
import { RowPace } from './row-pace.js';
import { MAX_ROWS, type SqlLimits } from './sql-limits.js';
import { credentialsOf, type SqlTarget, sqlTarget } from './sql-target.js';
import { TableReadError, type TableReader, type TableRow } from './table-reader.js';

/**
 * The default of `net_write_timeout` is too short: if indexing a batch of rows took more than 60 s, the server would
 * abort the result.
 */
const BEGIN = [
  'set session net_write_timeout = 1800',
  'set session transaction read only',
  'start transaction with consistent snapshot, read only',
];

interface Session {
  connection: Connection;
  received: ReceivedBytes;
}

/**
 * The reader has two connections, because it reads single rows with `rows` while a result is still streamed with
 * `streamed`.
 */
interface Sessions {
  rows: Session;
  streamed: Session;
}

type RawRow = Record<string, unknown>;

/** Runs in the confined process only. */
export class MysqlReader implements TableReader {
  private readonly open = new Set<Readable>();

  constructor(
    private readonly sessions: Sessions,
    private readonly limits: SqlLimits,
  ) {}

  /**
   * With this protocol, the client reads rows only as fast as the consumer processes them, and the server accepts only
   * one statement.
   */
  async *batches(select: string, size: number, values: readonly unknown[] = []): AsyncGenerator<TableRow[]> {
    const { connection, received } = this.sessions.streamed;
    const pace = new RowPace(size);
    received.restart();
    const rows = connection.query({ sql: select, values: values.map(String) }).stream({ highWaterMark: pace.rows });
    this.open.add(rows);
    let batch: RawRow[] = [];
    try {
      for await (const row of rows as AsyncIterable<RawRow>) {
        batch.push(row);
        if (batch.length < pace.rows) continue;
        const plain = plainRows(batch, size);
        pace.observeRows(plain);
        yield plain;
        received.restart();
        batch = [];
      }
    } catch (cause) {
      throw queryFailure(cause);
    } finally {
      this.open.delete(rows);
    }
    if (batch.length > 0) yield plainRows(batch, size);
  }

  /** MySQL sorts an ENUM, for example, by its index but compares it by its name. */
  async orders(select: string): Promise<boolean> {
    try {
      const { connection, received } = this.sessions.rows;
      received.restart();
      const [, [field]] = await connection.promise().query({ sql: select, timeout: this.limits.statementMillis });
      return field !== undefined && isPlain(field);
    } catch {
      return false;
    }
  }

  async rows(select: string, values: readonly unknown[]): Promise<TableRow[]> {
    const { connection, received } = this.sessions.rows;
    received.restart();
    try {
      const query = { sql: select, values: values.map(String), timeout: this.limits.statementMillis };
      const [rows] = await connection.promise().query(query);
      return Array.isArray(rows) ? plainRows(rows as RawRow[], MAX_ROWS) : [];
    } catch (cause) {
      throw queryFailure(cause);
    }
  }

  close(): void {
    const { rows, streamed } = this.sessions;
    for (const { connection } of [rows, streamed]) connection.destroy();
    for (const stream of this.open) stream.destroy(new TableReadError('query', 'The connection has been closed.'));
  }
}

/**
 * All their transactions are read-only.
 * @throws TableReadError
 */
export async function openMysql(dsn: string, address: string, limits: SqlLimits): Promise<MysqlReader> {
  const target = sqlTarget('mysql', dsn);
  const begun: Connection[] = [];
  const begin = async (): Promise<Session> => {
    const socket = openSocket({ host: address, port: target.port, timeout: limits.connectMillis });
    const received = new ReceivedBytes(socket, limits.maxBytes);
    const connection = createConnection({ ...mysqlSettings(target, limits), stream: (): Socket => socket });
    begun.push(connection);
    // The error also rejects the current query.
    connection.on('error', () => undefined);
    const session = connection.promise();
    await session.connect();
    for (const statement of BEGIN) await session.query(statement);
    return { connection, received };
  };
  try {
    return new MysqlReader({ streamed: await begin(), rows: await begin() }, limits);
  } catch (cause) {
    for (const connection of begun) connection.destroy();
    throw mysqlConnectFailure(target.hostname, cause);
  }
}

/**
 * The certificate of the server and its host name are checked only if `ssl-mode` is VERIFY_CA or VERIFY_IDENTITY. Other
 * parameters of the DSN are ignored.
 */
export function mysqlSettings(target: SqlTarget, { connectMillis }: SqlLimits): ConnectionOptions {
  const { url, hostname, port } = target;
  const mode = url.searchParams.get('ssl-mode')?.toUpperCase() ?? 'DISABLED';
  const isChecked = mode === 'VERIFY_IDENTITY' || mode === 'VERIFY_CA';
  return {
    // The driver uses the host only to check the certificate. The option `stream` provides the socket.
    host: hostname,
    port,
    ...credentialsOf(target),
    ...((isChecked || mode === 'REQUIRED') && { ssl: { rejectUnauthorized: isChecked, verifyIdentity: isChecked } }),
    connectTimeout: connectMillis,
    charset: 'utf8mb4',
    timezone: 'Z',
    supportBigNumbers: true,
    bigNumberStrings: true,
    // Forbids LOAD DATA LOCAL, with which the server could read files of this machine.
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
/** Their values are sent as strings but sorted by number. */
const NUMBERED = 256 | 2_048;
/** Character set number of binary columns. */
const BINARY = 63;

function isPlain({ columnType, flags, characterSet }: FieldPacket): boolean {
  if (WHOLE_NUMBERS.includes(columnType)) return true;
  return TEXTS.includes(columnType) && (Number(flags) & NUMBERED) === 0 && characterSet !== BINARY;
}

function queryFailure(cause: unknown): TableReadError {
  if (cause instanceof TableReadError) return cause;
  return new TableReadError('query', `The database reports: ${errorText(cause)}`, { cause });
}

export function mysqlConnectFailure(hostname: string, cause: unknown): TableReadError {
  const { code = '', message } = cause as { code?: string; message: string };
  if (
    ['ER_ACCESS_DENIED_ERROR', 'ER_DBACCESS_DENIED_ERROR', 'ER_BAD_DB_ERROR', 'ER_NOT_SUPPORTED_AUTH_MODE'].includes(
      code,
    )
  )
    // prettier-ignore
    return new TableReadError('refused', `The database rejected the connection: ${message}`, { cause });
  return new TableReadError('unreachable', `The database at ${hostname} cannot be reached: ${message || code}`, {
    cause,
  });
}

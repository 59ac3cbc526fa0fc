import { connect as openSocket, type Socket } from 'node:net';
import { errorText, type JsonObject, type JsonValue, parseExactJson } from '@app/kernel';
import { ReceivedBytes } from '@app/platform/sandbox';
import mysql, { type Connection, createConnection, type FieldPacket, type ResultSetHeader } from 'mysql2';
import { mysqlConnectFailure, mysqlSettings } from './mysql-reader.js';
import {
  CollectedRows,
  floatValue,
  integerValue,
  memberNames,
  notConnected,
  SqlCallError,
  type SqlConnection,
  type SqlOrder,
  type SqlReply,
} from './sql-call.js';
import { SQL_LIMITS } from './sql-limits.js';
import { sqlTarget } from './sql-target.js';

/** The server therefore ends the statement first and reports the timeout. */
const GRACE_MILLIS = 5_000;
/**
 * Numbers of the errors that report a time limit: 1969 of MariaDB, 3024 of MySQL, and 1317 of both for a statement that
 * was killed.
 */
const LATE_ERRORS: readonly (number | undefined)[] = [1_969, 3_024, 1_317];
const AHEAD = 100;

type Cells = readonly (Buffer | null)[];

/** Runs in the confined process only. */
export class MysqlCall {
  private constructor(
    private readonly connection: Connection,
    private readonly received: ReceivedBytes,
  ) {}

  /** @throws SqlCallError */
  static async connect({ dsn, address, timeoutMs }: SqlConnection): Promise<MysqlCall> {
    const target = sqlTarget('mysql', dsn);
    const limits = { ...SQL_LIMITS, connectMillis: timeoutMs };
    const socket = openSocket({ host: address, port: target.port, timeout: timeoutMs });
    const received = new ReceivedBytes(socket, limits.maxBytes);
    const connection = createConnection({ ...mysqlSettings(target, limits), stream: (): Socket => socket });
    // Without a listener, an error of the connection would end the process. The error also rejects the current query.
    connection.on('error', () => undefined);
    try {
      await connection.promise().connect();
      return new MysqlCall(connection, received);
    } catch (cause) {
      connection.destroy();
      throw notConnected(mysqlConnectFailure(target.hostname, cause), (cause as { sqlState?: string }).sqlState);
    }
  }

  /** @throws SqlCallError */
  async execute(order: SqlOrder): Promise<SqlReply> {
    await this.limitTime(order.timeoutMs);
    this.received.restart();
    try {
      return order.isRead ? await this.read(order) : await this.write(order);
    } catch (cause) {
      throw failureOf(cause);
    }
  }

  close(): void {
    this.connection.destroy();
  }

  /** Each server knows only one of the two variables and rejects the other. */
  private async limitTime(timeoutMs: number): Promise<void> {
    const session = this.connection.promise();
    for (const setting of [`max_statement_time = ${timeoutMs / 1_000}`, `max_execution_time = ${timeoutMs}`])
      await session.query(['set session', setting].join(' ')).catch(() => undefined);
  }

  /** The transaction is rolled back when the connection closes. */
  private async read(order: SqlOrder): Promise<SqlReply> {
    await this.connection.promise().query('start transaction read only');
    const collected = new CollectedRows(order);
    const query = this.connection.query({ sql: textOf(order), rowsAsArray: true, typeCast: false });
    let columns: readonly FieldPacket[] | undefined;
    let names: string[] = [];
    query.on('fields', (fields?: readonly FieldPacket[]) => {
      columns = fields;
      names = namesOf(fields ?? []);
    });
    const rows = query.stream({ highWaterMark: AHEAD });
    for await (const row of rows as AsyncIterable<Cells>) {
      if (!columns)
        throw new SqlCallError(
          'statement',
          'The statement has no result set. A read operation needs one, such as a SELECT.',
        );
      if (!collected.add(rowOf(columns, names, row))) break;
      this.received.restart();
    }
    return collected.reply();
  }

  private async write(order: SqlOrder): Promise<SqlReply> {
    const timeout = order.timeoutMs + GRACE_MILLIS;
    const query = { sql: textOf(order), rowsAsArray: true, typeCast: false, timeout } as const;
    const [found, fields]: [unknown, unknown] = await this.connection.promise().query(query);
    const collected = new CollectedRows(order);
    const { rows, columns, header } = firstResult(found, fields);
    const names = namesOf(columns);
    try {
      rows.every((row) => collected.add(rowOf(columns, names, row)));
    } catch {
      // The write has taken effect, so it has succeeded even if its rows cannot be read.
      collected.omitRest();
    }
    return collected.reply(header ? header.affectedRows : rows.length);
  }
}

/** For a procedure, the driver returns a list of results and, as the last element, a header. */
function firstResult(
  found: unknown,
  fields: unknown,
): { rows: readonly Cells[]; columns: readonly FieldPacket[]; header: ResultSetHeader | undefined } {
  if (!Array.isArray(found)) return { rows: [], columns: [], header: found as ResultSetHeader };
  const last: unknown = found.at(-1);
  const isList = last !== undefined && !Array.isArray(last);
  if (!isList) return { rows: found as Cells[], columns: (fields ?? []) as FieldPacket[], header: undefined };
  const [rows, [columns]] = [found[0] as Cells[], fields as FieldPacket[][]];
  return { rows: Array.isArray(rows) ? rows : [], columns: columns ?? [], header: last as ResultSetHeader };
}

function textOf({ text, values, parameters }: SqlOrder): string {
  let sql = '';
  let from = 0;
  for (const { index, start, end } of parameters) {
    sql += `${text.slice(from, start)} ${literalOf(values[index] ?? null)} `;
    from = end;
  }
  return sql + text.slice(from);
}

/** Text becomes a hexadecimal literal, which cannot contain SQL, whatever `sql_mode` says about backslashes. */
function literalOf(value: JsonValue): string {
  if (value === null) return 'null';
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return `_utf8mb4 x'${Buffer.from(text).toString('hex')}'`;
}

const { Types } = mysql;
const INTEGERS: readonly unknown[] = [Types.TINY, Types.SHORT, Types.INT24, Types.LONG, Types.LONGLONG, Types.YEAR];
const FLOATS: readonly unknown[] = [Types.FLOAT, Types.DOUBLE];
const STRINGS: readonly unknown[] = [
  Types.VARCHAR,
  Types.VAR_STRING,
  Types.STRING,
  Types.TINY_BLOB,
  Types.MEDIUM_BLOB,
  Types.LONG_BLOB,
  Types.BLOB,
  Types.GEOMETRY,
];
const BINARY = 63;

function rowOf(columns: readonly FieldPacket[], names: readonly string[], row: Cells): JsonObject {
  return Object.fromEntries(
    columns.map((column, at): [string, JsonValue] => {
      const cell = row[at] ?? null;
      return [names[at] ?? '', cell === null ? null : valueOf(column, Buffer.from(cell))];
    }),
  );
}

function namesOf(columns: readonly FieldPacket[]): string[] {
  return memberNames(columns.map(({ name }) => name));
}

function valueOf(column: FieldPacket, cell: Buffer): JsonValue {
  const { columnType, characterSet, columnLength } = column;
  const text = cell.toString('utf8');
  // `boolean` is an alias of tinyint(1).
  if (columnType === Types.TINY && columnLength === 1 && (text === '0' || text === '1')) return text === '1';
  if (columnType === Types.BIT) return columnLength === 1 ? cell[0] === 1 : cell.toString('base64');
  if (INTEGERS.includes(columnType)) return integerValue(text);
  if (FLOATS.includes(columnType)) return floatValue(text);
  // MariaDB sends JSON as text and marks it in the metadata of the column.
  if (columnType === Types.JSON || (column as { extendedFormat?: string }).extendedFormat === 'json')
    return parseExactJson(text);
  return STRINGS.includes(columnType) && characterSet === BINARY ? cell.toString('base64') : text;
}

function failureOf(cause: unknown): SqlCallError {
  if (cause instanceof SqlCallError) return cause;
  const { sqlState, errno, code } = cause as { sqlState?: string; errno?: number; code?: string };
  const message = `The database reports: ${errorText(cause)}`;
  if (code === 'PROTOCOL_SEQUENCE_TIMEOUT') return new SqlCallError('timeout', message, { cause });
  if (sqlState === undefined) return new SqlCallError('lost', message, { cause });
  if (LATE_ERRORS.includes(errno)) return new SqlCallError('timeout', message, { sqlstate: sqlState, cause });
  return new SqlCallError('statement', message, { sqlstate: sqlState, constraint: constraintIn(message), cause });
}

/** MySQL reports it in the message only. */
function constraintIn(message: string): string {
  const key = /for key '(?:[^']*\.)?([^'.]+)'/.exec(message) ?? /CONSTRAINT `([^`]+)`/.exec(message);
  return key?.[1] ?? /(?:Check constraint|CONSTRAINT) ['`]([^'`]+)['`]/.exec(message)?.[1] ?? '';
}

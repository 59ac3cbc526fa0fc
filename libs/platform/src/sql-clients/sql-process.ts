import { within } from '@app/platform/sandbox';
import type { MysqlCall } from './mysql-call.js';
import type { PostgresCall } from './postgres-call.js';
import { SqlCallError, type SqlConnection, type SqlOrder, type SqlReply } from './sql-call.js';
import type { SqlLimits } from './sql-limits.js';
import type { SqlKind } from './sql-target.js';
import { TableReadError, type TableReader, type TableRow } from './table-reader.js';

/**
 * Time in milliseconds that the server has to end a statement after the time limit of the statement. After that time,
 * this process stops waiting and throws an error.
 */
const LATE_MILLIS = 7_000;

export interface OpenRequest {
  kind: SqlKind;
  dsn: string;
  address: string;
  limits: SqlLimits;
}

export interface BatchesRequest {
  select: string;
  size: number;
  values: readonly unknown[];
}

export interface RowsRequest {
  select: string;
  values: readonly unknown[];
}

interface Opened {
  reader: TableReader;
  limits: SqlLimits;
}

let opened: Opened | undefined;
let batches: AsyncIterator<TableRow[]> | undefined;

/** Must be called before the functions that use the {@link TableReader}. */
export async function open({ kind, dsn, address, limits }: OpenRequest): Promise<void> {
  const connect: (dsn: string, address: string, limits: SqlLimits) => Promise<TableReader> =
    kind === 'postgres'
      ? (await import('./postgres-reader.js')).openPostgres
      : (await import('./mysql-reader.js')).openMysql;
  opened = { limits, reader: await inTime(limits.connectMillis, connect(dsn, address, limits)) };
}

export function begin({ select, size, values }: BatchesRequest): Promise<void> {
  return during(async (reader) => {
    batches = reader.batches(select, size, values)[Symbol.asyncIterator]();
  });
}

export function next(): Promise<TableRow[] | null> {
  return during(async () => {
    const rows = await batches?.next();
    return rows === undefined || rows.done === true ? null : rows.value;
  });
}

export function orders(select: string): Promise<boolean> {
  return during((reader) => reader.orders(select));
}

export function rows({ select, values }: RowsRequest): Promise<TableRow[]> {
  return during((reader) => reader.rows(select, values));
}

let calls: PostgresCall | MysqlCall | undefined;

export async function connect(connection: SqlConnection): Promise<void> {
  const message = `The database did not accept the connection within ${connection.timeoutMs / 1_000} s.`;
  const open = async (): Promise<PostgresCall | MysqlCall> =>
    connection.kind === 'postgres'
      ? (await import('./postgres-call.js')).PostgresCall.connect(connection)
      : (await import('./mysql-call.js')).MysqlCall.connect(connection);
  calls = await within(connection.timeoutMs, open(), () => new SqlCallError('timeout', message));
}

/**
 * If the server does not end the statement at its time limit, this process throws a timeout error a few seconds later.
 */
export async function execute(order: SqlOrder): Promise<SqlReply> {
  if (!calls) throw new SqlCallError('lost', 'The connection is not open.');
  const millis = order.timeoutMs + LATE_MILLIS;
  const message = `The database did not send a complete response within ${order.timeoutMs / 1_000} s.`;
  return within(millis, calls.execute(order), () => new SqlCallError('timeout', message));
}

function during<Value>(work: (reader: TableReader) => Promise<Value>): Promise<Value> {
  if (!opened) throw new TableReadError('query', 'The connection is not open.');
  return inTime(opened.limits.statementMillis, work(opened.reader));
}

/** The service then ends the process, which also ends the statement. */
function inTime<Value>(millis: number, work: Promise<Value>): Promise<Value> {
  const message = `The database did not send a complete response within ${millis / 1_000} s.`;
  return within(millis, work, () => new TableReadError('protocol', message));
}

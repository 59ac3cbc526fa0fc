import { serveCalls, within } from '@app/platform/isolated-program';
import type { SqlLimits } from './sql-limits.js';
import type { SqlKind } from './sql-target.js';
import { TableReadError, type TableReader, type TableRow } from './table-reader.js';

export interface OpenRequest {
  kind: SqlKind;
  dsn: string;
  /** Vetted by the service; the process connects to nothing else. */
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

async function open({ kind, dsn, address, limits }: OpenRequest): Promise<void> {
  const connect: (dsn: string, address: string, limits: SqlLimits) => Promise<TableReader> =
    kind === 'postgres'
      ? (await import('./postgres-reader.js')).openPostgres
      : (await import('./mysql-reader.js')).openMysql;
  opened = { limits, reader: await inTime(limits.connectMillis, connect(dsn, address, limits)) };
}

async function next(): Promise<TableRow[] | null> {
  const rows = await batches?.next();
  return rows === undefined || rows.done === true ? null : rows.value;
}

function during<Value>(work: (reader: TableReader) => Promise<Value>): Promise<Value> {
  if (!opened) throw new TableReadError('query', 'The connection is not open.');
  return inTime(opened.limits.statementMillis, work(opened.reader));
}

/** The service ends the process after this error, so that nothing of the call remains. */
function inTime<Value>(millis: number, work: Promise<Value>): Promise<Value> {
  const message = `The database does not answer completely within ${millis / 1_000} s.`;
  return within(millis, work, () => new TableReadError('protocol', message));
}

/** The program that speaks to one database: the methods of a {@link TableReader}, its batches one at a time. */
serveCalls({
  open,
  orders: (select: string) => during((reader) => reader.orders(select)),
  rows: ({ select, values }: RowsRequest) => during((reader) => reader.rows(select, values)),
  begin: ({ select, size, values }: BatchesRequest) =>
    during(async (reader) => {
      batches = reader.batches(select, size, values)[Symbol.asyncIterator]();
    }),
  next: () => during(next),
});

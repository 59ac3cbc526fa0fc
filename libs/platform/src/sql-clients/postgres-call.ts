import { Socket } from 'node:net';
import { errorText, type JsonValue } from '@app/kernel';
import { ReceivedBytes } from '@app/platform/sandbox';
import { Client, type FieldDef, type QueryArrayConfig, type QueryArrayResult } from 'pg';
import { isUnknownType, readerOf } from './postgres-values.js';
import { postgresConnectFailure, postgresSettings } from './postgres-reader.js';
import { RowPace } from './row-pace.js';
import {
  CollectedRows,
  memberNames,
  notConnected,
  SqlCallError,
  type SqlConnection,
  type SqlOrder,
  type SqlReply,
} from './sql-call.js';
import { SQL_LIMITS } from './sql-limits.js';
import { sqlTarget } from './sql-target.js';

const CURSOR = 'service_call';
/** The server therefore ends the statement first and reports the timeout. */
const GRACE_MILLIS = 5_000;
/** SQLSTATE of a statement that the server cancelled because of its time limit. */
const CANCELLED = '57014';

/** `$1`: the time limit in milliseconds. `$2`: whether the three settings end with the transaction. */
const SETTINGS = `select set_config('statement_timeout', $1, $2), set_config('DateStyle', 'ISO', $2),
  set_config('bytea_output', 'hex', $2)`;

type Row = (string | null)[];
type Rows = QueryArrayResult<Row>;

const AS_TEXT = { getTypeParser: () => String };

/** Runs in the confined process only. */
export class PostgresCall {
  /** 0 means that the type is not an array. */
  private readonly elements = new Map<number, number>();

  private constructor(
    private readonly client: Client,
    private readonly received: ReceivedBytes,
  ) {}

  /** @throws SqlCallError */
  static async connect({ dsn, address, timeoutMs }: SqlConnection): Promise<PostgresCall> {
    const target = sqlTarget('postgres', dsn);
    const socket = new Socket();
    const limits = { ...SQL_LIMITS, connectMillis: timeoutMs, statementMillis: timeoutMs + GRACE_MILLIS };
    const client = new Client(postgresSettings(target, address, { socket, limits }));
    client.on('error', () => undefined);
    try {
      const received = new ReceivedBytes(socket, limits.maxBytes);
      await client.connect();
      return new PostgresCall(client, received);
    } catch (cause) {
      void client.end().catch(() => undefined);
      throw notConnected(postgresConnectFailure(target.hostname, cause), (cause as { code?: string }).code);
    }
  }

  /** @throws SqlCallError */
  async execute(order: SqlOrder): Promise<SqlReply> {
    if (order.isRead) await this.query('begin read only');
    await this.query(SETTINGS, [String(order.timeoutMs), order.isRead]);
    return order.isRead ? this.read(order) : this.write(order);
  }

  close(): void {
    void this.client.end().catch(() => undefined);
  }

  private async read(order: SqlOrder): Promise<SqlReply> {
    await this.query(['declare', CURSOR, 'no scroll cursor for', order.text].join(' '), order.values);
    const collected = new CollectedRows(order);
    const pace = new RowPace(order.maxRows + 1);
    for (let more = true; more;) {
      const wanted = pace.rows;
      const found = await this.query(['fetch forward', wanted, 'from', CURSOR].join(' '));
      more = (await this.collect(found, collected)) && found.rows.length === wanted;
      pace.observeRows(found.rows.map((row) => Object.fromEntries(row.entries())));
    }
    await this.query('rollback');
    return collected.reply();
  }

  private async write(order: SqlOrder): Promise<SqlReply> {
    const found = await this.query(order.text, order.values);
    const collected = new CollectedRows(order);
    // The write has taken effect, so it has succeeded even if its rows cannot be read.
    await this.collect(found, collected).catch(() => collected.omitRest());
    return collected.reply(found.rowCount ?? 0);
  }

  private async collect({ rows, fields }: Rows, collected: CollectedRows): Promise<boolean> {
    const elements = await this.elementTypes(fields);
    const names = memberNames(fields.map(({ name }) => name));
    const columns = fields.map(({ dataTypeID }, at) => [names[at] ?? '', readerOf(dataTypeID, elements)] as const);
    return rows.every((row) => {
      const cells = columns.map(([name, read], at) => [name, row[at] == null ? null : read(row[at])] as const);
      return collected.add(Object.fromEntries<JsonValue>(cells));
    });
  }

  private async elementTypes(fields: readonly FieldDef[]): Promise<ReadonlyMap<number, number>> {
    const unknown = [...new Set(fields.map(({ dataTypeID }) => dataTypeID))].filter(
      (oid) => isUnknownType(oid) && !this.elements.has(oid),
    );
    if (unknown.length > 0) {
      const { rows } = await this.query(
        `select oid, case when typcategory = 'A' then typelem else 0 end from pg_catalog.pg_type where oid = any ($1::oid[])`,
        [unknown],
      );
      for (const [oid, element] of rows) this.elements.set(Number(oid), Number(element));
    }
    return new Map([...this.elements].filter(([, element]) => element !== 0));
  }

  /** Always uses the extended protocol, which accepts one statement only. */
  private async query(text: string, values: readonly unknown[] = []): Promise<Rows> {
    this.received.restart();
    const query: QueryArrayConfig & { queryMode: 'extended' } = {
      text,
      values: [...values],
      rowMode: 'array',
      types: AS_TEXT,
      queryMode: 'extended',
    };
    try {
      return await this.client.query<Row>(query);
    } catch (cause) {
      throw failureOf(cause);
    }
  }
}

function failureOf(cause: unknown): SqlCallError {
  const { code = '', constraint = '', severity } = cause as { code?: string; constraint?: string; severity?: string };
  const message = `The database reports: ${errorText(cause)}`;
  if (severity === undefined) {
    const isLate = errorText(cause).includes('timeout');
    return new SqlCallError(isLate ? 'timeout' : 'lost', message, { cause });
  }
  // The server may already have begun to commit, so the outcome is unknown.
  if (severity !== 'ERROR') return new SqlCallError('lost', message, { sqlstate: code, cause });
  return new SqlCallError(code === CANCELLED ? 'timeout' : 'statement', message, { sqlstate: code, constraint, cause });
}

import { Socket } from 'node:net';
import { errorText } from '@app/kernel';
import { Client, type ClientConfig, type QueryConfig } from 'pg';
import { plainRows } from './plain-rows.js';
import { ReceivedBytes } from '@app/platform/sandbox';
import { RowPace } from './row-pace.js';
import { MAX_ROWS, type SqlLimits } from './sql-limits.js';
import { credentialsOf, type SqlTarget, sqlTarget } from './sql-target.js';
import { TableReadError, type TableReader, type TableRow } from './table-reader.js';

const CURSOR = 'service_reader';

/** Runs in the confined process only. */
export class PostgresReader implements TableReader {
  constructor(
    private readonly client: Client,
    private readonly received: ReceivedBytes,
  ) {}

  async *batches(select: string, size: number, values: readonly unknown[] = []): AsyncGenerator<TableRow[]> {
    await this.query(['declare', CURSOR, 'no scroll cursor for', select].join(' '), values, 0);
    const pace = new RowPace(size);
    for (;;) {
      const wanted = pace.rows;
      const rows = await this.query(['fetch forward', wanted, 'from', CURSOR].join(' '), [], wanted);
      if (rows.length > 0) yield rows;
      if (rows.length < wanted) break;
      pace.observeRows(rows);
    }
    await this.query(`close ${CURSOR}`, [], 0);
  }

  /**
   * For every type that Postgres can sort, comparisons agree with the sort order, and the text form of a value is
   * exact.
   */
  async orders(select: string): Promise<boolean> {
    await this.query('savepoint asked', [], 0);
    const works = await this.query(select, [], 0).then(
      () => true,
      () => false,
    );
    await this.query('rollback to savepoint asked', [], 0);
    return works;
  }

  rows(select: string, values: readonly unknown[]): Promise<TableRow[]> {
    return this.query(select, values, MAX_ROWS);
  }

  close(): void {
    void this.client.end().catch(() => undefined);
  }

  /** Always uses the extended protocol, which accepts one statement only. */
  private async query(text: string, values: readonly unknown[], most: number): Promise<TableRow[]> {
    this.received.restart();
    const query: QueryConfig & { queryMode: 'extended' } = { text, values: [...values], queryMode: 'extended' };
    const answer = await this.client.query<Record<string, unknown>>(query).catch((cause: unknown) => {
      throw new TableReadError('query', `The database reports: ${errorText(cause)}`, { cause });
    });
    return plainRows(answer.rows, most);
  }
}

/** @throws TableReadError */
export async function openPostgres(dsn: string, address: string, limits: SqlLimits): Promise<PostgresReader> {
  const target = sqlTarget('postgres', dsn);
  const socket = new Socket();
  const client = new Client(postgresSettings(target, address, { socket, limits }));
  client.on('error', () => undefined);
  try {
    const received = new ReceivedBytes(socket, limits.maxBytes);
    await client.connect();
    await client.query('begin transaction isolation level repeatable read, read only');
    await client.query("select set_config('statement_timeout', $1, true)", [String(limits.statementMillis)]);
    return new PostgresReader(client, received);
  } catch (cause) {
    void client.end().catch(() => undefined);
    throw postgresConnectFailure(target.hostname, cause);
  }
}

/**
 * The certificate of the server and its host name are checked only if `sslmode` is verify-ca or verify-full. Other
 * parameters of the DSN are ignored.
 */
export function postgresSettings(
  target: SqlTarget,
  address: string,
  { socket, limits }: { socket: Socket; limits: SqlLimits },
): ClientConfig {
  const { url, hostname, port } = target;
  const mode = url.searchParams.get('sslmode') ?? 'prefer';
  const isChecked = mode === 'verify-full' || mode === 'verify-ca';
  const isTls = isChecked || mode === 'require';
  const { user, password, database } = credentialsOf(target);
  return {
    host: address,
    port,
    user,
    // This is a function, because the library looks for a password on this machine if the option is undefined.
    password: () => password,
    database: database || user,
    ssl: isTls ? { rejectUnauthorized: isChecked, servername: hostname } : false,
    stream: () => socket,
    connectionTimeoutMillis: limits.connectMillis,
    query_timeout: limits.statementMillis,
    application_name: 'agent-automation-service',
  };
}

export function postgresConnectFailure(hostname: string, cause: unknown): TableReadError {
  const { code, message } = cause as { code?: string; message: string };
  if (code?.startsWith('28') || code === '3D000')
    return new TableReadError('refused', `The database rejected the connection: ${message}`, { cause });
  return new TableReadError('unreachable', `The database at ${hostname} cannot be reached: ${message}`, { cause });
}

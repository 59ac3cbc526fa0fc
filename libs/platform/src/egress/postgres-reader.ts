import { errorText } from '@app/kernel';
import { Client, type ClientConfig, type QueryConfig } from 'pg';
import type { HostGuard } from './host-guard.js';
import { RowPace } from './row-pace.js';
import { TableReadError, type TableReader, type TableRow } from './table-reader.js';

const CONNECT_MILLIS = 10_000;
const STATEMENT_MILLIS = 120_000;
const CURSOR = 'service_reader';
const POSTGRES_PORT = 5_432;

/** A Postgres database of somebody else's, opened for reading. */
export class PostgresReader implements TableReader {
  private constructor(private readonly client: Client) {}

  /**
   * Connects to an address that the guard has vetted, and begins a transaction that can write nothing.
   * @throws TableReadError; EgressError where the host is refused
   */
  static async open(dsn: string, guard: HostGuard): Promise<PostgresReader> {
    const target = targetOf(dsn);
    const [address] = await guard.resolve(target.hostname, target.port);
    const client = new Client(settingsOf(target, address?.address ?? ''));
    // What breaks the connection also rejects the query under way.
    client.on('error', () => undefined);
    try {
      await client.connect();
      await client.query('begin transaction isolation level repeatable read, read only');
      await client.query(`set local statement_timeout = ${STATEMENT_MILLIS}`);
      return new PostgresReader(client);
    } catch (cause) {
      void client.end().catch(() => undefined);
      throw connectFailure(target.hostname, cause);
    }
  }

  async *batches(select: string, size: number, values: readonly unknown[] = []): AsyncGenerator<TableRow[]> {
    await this.query(['declare', CURSOR, 'no scroll cursor for', select].join(' '), values);
    const pace = new RowPace(size);
    for (;;) {
      const wanted = pace.rows;
      const rows = await this.query(['fetch forward', wanted, 'from', CURSOR].join(' '), []);
      if (rows.length > 0) yield rows;
      if (rows.length < wanted) break;
      pace.met(rows);
    }
    await this.query(`close ${CURSOR}`, []);
  }

  /** Whatever can be sorted is also compared so, and is read from a text without a loss. */
  async orders(select: string): Promise<boolean> {
    await this.query('savepoint asked', []);
    const works = await this.query(select, []).then(
      () => true,
      () => false,
    );
    await this.query('rollback to savepoint asked', []);
    return works;
  }

  rows(select: string, values: readonly unknown[]): Promise<TableRow[]> {
    return this.query(select, values);
  }

  close(): void {
    void this.client.end().catch(() => undefined);
  }

  /** With values or without, always by the extended protocol, which takes one statement only. */
  private async query(text: string, values: readonly unknown[]): Promise<TableRow[]> {
    try {
      const query: QueryConfig & { queryMode: 'extended' } = { text, values: [...values], queryMode: 'extended' };
      const { rows } = await this.client.query<TableRow>(query);
      return rows;
    } catch (cause) {
      throw new TableReadError('query', `The database says: ${errorText(cause)}`, { cause });
    }
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
    if (/^postgres(ql)?:$/.test(url.protocol) && url.hostname !== '')
      return { url, hostname: url.hostname.replace(/^\[|\]$/g, ''), port: Number(url.port) || POSTGRES_PORT };
  }
  throw new TableReadError('unreachable', 'The secret is no DSN such as postgres://user:password@host:5432/database.');
}

/** The connection goes to the vetted address; the certificate is checked for the name. Other parameters of the DSN mean nothing. */
function settingsOf({ url, hostname, port }: Target, address: string): ClientConfig {
  const mode = url.searchParams.get('sslmode') ?? 'prefer';
  const isChecked = mode === 'verify-full' || mode === 'verify-ca';
  const isTls = isChecked || mode === 'require';
  return {
    host: address,
    port,
    user: decodeURIComponent(url.username),
    password: decodeURIComponent(url.password),
    database: decodeURIComponent(url.pathname.slice(1)) || decodeURIComponent(url.username),
    ssl: isTls ? { rejectUnauthorized: isChecked, servername: hostname } : false,
    connectionTimeoutMillis: CONNECT_MILLIS,
    query_timeout: STATEMENT_MILLIS,
    application_name: 'agent-automation-service',
  };
}

function connectFailure(hostname: string, cause: unknown): TableReadError {
  const { code, message } = cause as { code?: string; message: string };
  if (code?.startsWith('28') || code === '3D000')
    return new TableReadError('refused', `The database refuses the connection: ${message}`, { cause });
  return new TableReadError('unreachable', `The database at ${hostname} cannot be reached: ${message}`, { cause });
}

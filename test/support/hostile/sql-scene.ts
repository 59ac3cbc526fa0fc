import type { Socket } from 'node:net';
import { HostGuard } from '@app/platform/egress';
import { openReader, type ReaderSettings, type SqlKind, type TableRow } from '@app/platform/sql-clients';
import { builtPrograms } from '../built-program.js';
import { HostileServer } from './hostile-server.js';

export class SqlScene {
  private readonly servers: HostileServer[] = [];

  /** Connection string (DSN) of the readers. Its port is replaced by the port of the started server. */
  dsn: URL;

  constructor(private readonly kind: SqlKind) {
    this.dsn = new URL(`${kind}://ada:right@127.0.0.1/theirs`);
  }

  async stop(): Promise<void> {
    await Promise.all(this.servers.map((server) => server.stop()));
  }

  /**
   * Starts a server, and reads the rows of a query from it. The time limits are long, because the test expects that the
   * server responds.
   */
  read(serve: (socket: Socket) => void): Promise<TableRow[]> {
    return this.serve(serve, '', 60_000);
  }

  /**
   * Reads the rows of a query from the server at `dsn`. The time limits are long, because the test expects that the
   * server responds.
   */
  readFrom(dsn: string): Promise<TableRow[]> {
    return this.readWithin(dsn, 60_000);
  }

  private async serve(serve: (socket: Socket) => void, query: string, millis: number): Promise<TableRow[]> {
    const server = await HostileServer.start(serve);
    this.servers.push(server);
    const dsn = new URL(this.dsn.href + query);
    dsn.port = String(server.port);
    return this.readWithin(dsn.href, millis);
  }

  private async readWithin(dsn: string, millis: number): Promise<TableRow[]> {
    const settings: Partial<ReaderSettings> = {
      ...builtPrograms('libs/platform/src/sql-clients/sql-process'),
      connectMillis: millis,
      statementMillis: millis,
      maxBytes: 8 * 1024 * 1024,
      heapMegabytes: 64,
      memoryMegabytes: 256,
      blockedMillis: millis,
    };
    const reader = await openReader(this.kind, dsn, new HostGuard(['127.0.0.1/32']), settings);
    try {
      const found: TableRow[] = [];
      for await (const rows of reader.batches('select 1 as id', 200)) found.push(...rows);
      return found;
    } finally {
      reader.close();
    }
  }

  /**
   * Starts a server, and returns the error with which a read from it fails. If the read succeeds, returns an error that
   * says so.
   */
  failure(serve: (socket: Socket) => void, query = ''): Promise<unknown> {
    return this.serve(serve, query, 2_000).then(
      (rows) => new Error(`The server gave ${rows.length} rows.`),
      (error: unknown) => error,
    );
  }
}

import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import type { AddressInfo, Server } from 'node:net';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import mysql, { type Connection } from 'mysql2';
import { Client, type QueryConfig, type QueryResult } from 'pg';
import { eventually } from './eventually.js';
import { freePort } from './free-port.js';

/** A MySQL server for tests. The user in `dsn` has the permission to read its tables. */
export interface MysqlServer {
  dsn: string;
  run(...statements: string[]): Promise<void>;
  stop(): Promise<void>;
}

const MARIADBD = ['/usr/sbin/mariadbd', '/usr/local/bin/mariadbd', '/opt/homebrew/bin/mariadbd'].find(existsSync);

/**
 * The servers with which the MySQL tests run. One server only implements the MySQL protocol. It is always available,
 * and is needed because no npm package contains MySQL. The other server is MariaDB, which is used only if it is
 * installed.
 */
export const MYSQL_SERVERS: [string, (databaseUrl: string) => Promise<MysqlServer>][] = [
  ['the server of mysql2, with Postgres behind it', startWireServer],
  ...(MARIADBD === undefined
    ? []
    : [['a MariaDB', () => startMariadb(MARIADBD)] satisfies [string, () => Promise<MysqlServer>]]),
];

async function startWireServer(databaseUrl: string): Promise<MysqlServer> {
  const server = mysql.createServer((connection) => serve(connection as ServedConnection, databaseUrl));
  server.listen(0);
  // The published type of the server lacks the property `_server`, which is the underlying `net.Server`.
  const inner = (server as object as { _server: Server })._server;
  await once(inner, 'listening');
  const { port } = inner.address() as AddressInfo;
  return {
    dsn: `mysql://reader:right@127.0.0.1:${port}/theirs`,
    run: (...statements) =>
      onPostgres(databaseUrl, async (client) => {
        await client.query('create schema if not exists theirs');
        await client.query('set search_path to theirs');
        for (const statement of statements) await client.query(asPostgres(statement));
      }),
    stop: async () => {
      inner.close();
    },
  };
}

/** Methods of a mysql2 server connection that the published types lack. */
type ServedConnection = Connection & {
  serverHandshake(settings: object): void;
  writeOk(): void;
  writeError(error: { code: number; message: string }): void;
  writeTextResult(rows: object[], columns: object[]): void;
  _resetSequenceId(): void;
};

function serve(connection: ServedConnection, databaseUrl: string): void {
  connection.on('error', () => undefined);
  connection.serverHandshake({
    protocolVersion: 10,
    serverVersion: '8.0.0-test',
    connectionId: 1,
    statusFlags: 2,
    characterSet: 45,
    capabilityFlags: 0xff_ff_ff ^ 0x8_00 ^ 0x20,
    authCallback: ({ user }: { user: string }, answer: (_: null, error?: object) => void) => {
      answer(null, user === 'reader' ? undefined : { message: `Access denied for user '${user}'`, code: 1_045 });
      connection._resetSequenceId();
    },
  });
  // Packet numbers restart with every command. They are reset here, because mysql2 does not reset them itself.
  const answered = (write: () => void): void => {
    write();
    connection._resetSequenceId();
  };
  // mysql2 emits `stmt_prepare` if the client prepares a SET statement.
  connection.on('stmt_prepare', () => answered(() => connection.writeOk()));
  connection.on('query', (sql: string) => {
    if (/^start transaction/i.test(sql)) return answered(() => connection.writeOk());
    const asked = onPostgres(databaseUrl, async (client) => {
      await client.query('set search_path to theirs');
      // The extended protocol of Postgres accepts only one statement per query.
      const query: QueryConfig & { queryMode: 'extended' } = {
        text: asPostgres(sql),
        queryMode: 'extended',
        types: { getTypeParser: () => String },
      };
      return client.query<object>(query);
    });
    asked.then(
      ({ rows, fields }: QueryResult<object>) =>
        answered(() =>
          connection.writeTextResult(
            rows,
            fields.map(({ name }) => column(name)),
          ),
        ),
      (error: unknown) => answered(() => connection.writeError({ code: 1_064, message: String(error) })),
    );
  });
}

function column(name: string): object {
  return {
    catalog: 'def',
    schema: '',
    table: '',
    orgTable: '',
    name,
    orgName: name,
    characterSet: 45,
    columnLength: 1_000_000,
    columnType: 253,
    flags: 0,
    decimals: 0,
  };
}

/**
 * Translates a statement from the dialect of MySQL to that of Postgres. Covers only the part that the connector and the
 * tests use.
 */
function asPostgres(sql: string): string {
  return sql
    .replaceAll('`', '"')
    .replaceAll(' as char)', ' as text)')
    .replace(/(?:_utf8mb4 )?x'([0-9a-f]*)'/g, (_, hex: string) => {
      const text = Buffer.from(hex, 'hex').toString();
      return `'${text.replaceAll("'", "''")}'`;
    });
}

async function onPostgres<Result>(url: string, work: (client: Client) => Promise<Result>): Promise<Result> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

async function startMariadb(program: string): Promise<MysqlServer> {
  const data = await mkdtemp(join(tmpdir(), 'mariadb-'));
  const [port, user] = [await freePort(), userInfo().username];
  const basics = [`--datadir=${data}`, `--user=${user}`];
  await promisify(execFile)('mariadb-install-db', [
    '--no-defaults',
    ...basics,
    '--auth-root-authentication-method=normal',
    '--skip-test-db',
  ]);
  const more = [`--socket=${join(data, 's')}`, `--port=${port}`, '--bind-address=127.0.0.1'];
  const server = spawn(program, ['--no-defaults', ...basics, ...more], { stdio: 'ignore' });
  const run = (...statements: string[]): Promise<void> => runIn(undefined, port, statements);
  await eventually(() => run('select 1'));
  await run(
    'create database theirs character set utf8mb4',
    "create user reader@'127.0.0.1' identified by 'right'",
    "grant all on theirs.* to reader@'127.0.0.1'",
  );
  return {
    dsn: `mysql://reader:right@127.0.0.1:${port}/theirs`,
    run: (...statements) => runIn('theirs', port, statements),
    stop: async () => {
      const gone = once(server, 'exit');
      server.kill('SIGTERM');
      await gone;
      await rm(data, { recursive: true, force: true });
    },
  };
}

async function runIn(database: string | undefined, port: number, statements: readonly string[]): Promise<void> {
  const connection = mysql.createConnection({ host: '127.0.0.1', port, user: 'root', database });
  connection.on('error', () => undefined);
  try {
    for (const statement of statements) await connection.promise().query(statement);
  } finally {
    connection.destroy();
  }
}

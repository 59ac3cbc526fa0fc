import { randomUUID } from 'node:crypto';
import { Client } from 'pg';
import { type ConnectionSettings, STATEMENT_LIMITS } from './service-pool.js';
import { isLostStatement } from './database-failure.js';

export interface SessionKind {
  /**
   * - `none`: there is no pooler
   * - `session`: a client keeps its server session until it disconnects
   * - `transaction`: each transaction of a client may run in another server session, so session state (LISTEN, advisory
   *   locks) is lost
   */
  pooling: 'none' | 'session' | 'transaction';
  /**
   * False if the pooler does not support prepared statements (PgBouncer before 1.21, or `max_prepared_statements = 0`).
   */
  prepares: boolean;
  limits: boolean;
}

const CONNECT_MILLIS = 4_000;
const ANSWER_MILLIS = 4_400;
const TURNS = 5;

/** @throws the error of the driver if the database does not respond */
export async function probeSession(
  settings: Pick<ConnectionSettings, 'url' | 'applicationName'>,
): Promise<SessionKind> {
  const opened: Client[] = [];
  const open = async (): Promise<Client> => {
    const client = newClient(settings);
    opened.push(client);
    await client.connect();
    return client;
  };
  try {
    const first = await open();
    const pid = await backendOf(first);
    // Postgres reports the process id of the session when a client connects. A pooler reports another number.
    if (pid === (first as Client & { processID?: number }).processID)
      return { pooling: 'none', prepares: true, limits: true };
    return { ...(await compare([first, await open()])), limits: await hasLimit(first) };
  } finally {
    await Promise.all(opened.map((client) => client.end().catch(() => undefined)));
  }
}

/**
 * With transaction pooling, both clients use the same server session at some point. If the pooler does not support
 * prepared statements, a statement fails.
 */
async function compare(clients: readonly Client[]): Promise<Omit<SessionKind, 'limits'>> {
  const name = `session_probe_${randomUUID()}`;
  const clientOf = new Map<number, Client>();
  let shared = false;
  for (let turn = 0; turn < TURNS; turn++) {
    for (const client of clients) {
      try {
        const pid = await backendOf(client, name);
        shared ||= (clientOf.get(pid) ?? client) !== client;
        clientOf.set(pid, client);
      } catch (error) {
        if (isLostStatement(error)) return { pooling: 'transaction', prepares: false };
        throw error;
      }
    }
  }
  return { pooling: shared ? 'transaction' : 'session', prepares: true };
}

async function backendOf(client: Client, name?: string): Promise<number> {
  const { rows } = await client.query<{ pid: number }>({ name, text: 'select pg_backend_pid() as pid' });
  return rows[0]!.pid;
}

async function hasLimit(client: Client): Promise<boolean> {
  const { rows } = await client.query<{ limit: string }>("select current_setting('statement_timeout') as limit");
  return rows[0]!.limit !== '0';
}

function newClient({ url, applicationName }: Pick<ConnectionSettings, 'url' | 'applicationName'>): Client {
  const client = new Client({
    connectionString: url,
    application_name: `${applicationName} start`,
    connectionTimeoutMillis: CONNECT_MILLIS,
    statement_timeout: STATEMENT_LIMITS.statementMillis,
    query_timeout: ANSWER_MILLIS,
  });
  // Without this listener, an error of the connection would end the process.
  client.on('error', () => undefined);
  return client;
}

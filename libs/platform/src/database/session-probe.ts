import { randomUUID } from 'node:crypto';
import { Client } from 'pg';
import type { ConnectionSettings } from './data-source.js';
import { isLostStatement } from './database-failure.js';

/** How the connection pooler between the service and Postgres, if there is one, treats sessions. */
export interface SessionKind {
  /**
   * `transaction`: a pooler gives each transaction to any server session, so session state (LISTEN, advisory locks) is
   * lost.
   */
  pooling: 'none' | 'session' | 'transaction';
  /** False: the pooler does not know prepared statements (PgBouncer before 1.21, or `max_prepared_statements = 0`). */
  prepares: boolean;
}

const CONNECT_MILLIS = 4_000;
const ANSWER_MILLIS = 4_400;
/** A busy pooler may give the two connections different server sessions at first, so they alternate several times. */
const TURNS = 5;

/**
 * Connects to the database and finds out whether a pooler is in between.
 * @throws the driver's error when the database does not answer
 */
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
    // A pooler gives its clients keys of its own instead of the server's process id.
    if (pid === (first as Client & { processID?: number }).processID) return { pooling: 'none', prepares: true };
    return await compare([first, await open()]);
  } finally {
    await Promise.all(opened.map((client) => client.end().catch(() => undefined)));
  }
}

/**
 * Both clients prepare a statement of one name, in turns. If sessions are shared, they use the same one sooner or
 * later.
 */
async function compare(clients: readonly Client[]): Promise<SessionKind> {
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

function newClient({ url, applicationName }: Pick<ConnectionSettings, 'url' | 'applicationName'>): Client {
  const client = new Client({
    connectionString: url,
    application_name: `${applicationName} start`,
    connectionTimeoutMillis: CONNECT_MILLIS,
    query_timeout: ANSWER_MILLIS,
  });
  // A connection that breaks fails the statement under way; without a listener it would end the process.
  client.on('error', () => undefined);
  return client;
}

import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';

import { eventually } from './eventually.js';
import { freePort } from './free-port.js';

/** User id under which PgBouncer runs if the tests run as root, because PgBouncer refuses to run as root. */
const NOBODY = 65_534;
/** First minor version of PgBouncer 1.x that supports prepared statements. */
const KNOWS_NAMES = 21;

const PATHS = { PATH: `${process.env.PATH ?? ''}:/usr/sbin:/usr/local/sbin` };

/** Returns the minor version of the installed PgBouncer 1.x, or undefined if it is not installed. */
export function poolerVersion(): number | undefined {
  try {
    const output = execFileSync('pgbouncer', ['--version'], { env: PATHS, encoding: 'utf8' });
    return Number(/PgBouncer 1\.(\d+)/i.exec(output)?.[1]);
  } catch {
    return undefined;
  }
}

export class Pooler {
  private constructor(
    readonly url: string,
    readonly close: () => Promise<void>,
  ) {}

  static async start(databaseUrl: string, connections: number): Promise<Pooler> {
    const target = new URL(databaseUrl);
    const [directory, port] = [await mkdtemp(join(tmpdir(), 'pooler-')), await freePort()];
    const knowsNames = (poolerVersion() ?? 0) >= KNOWS_NAMES;
    const settings = join(directory, 'pgbouncer.ini');
    await writeFile(settings, settingsOf(target, port, connections, knowsNames), { mode: 0o644 });
    const isRoot = process.getuid?.() === 0;
    execFileSync('chmod', ['755', directory]);
    const child = spawn('pgbouncer', [settings], {
      env: PATHS,
      stdio: 'ignore',
      ...(isRoot && { uid: NOBODY, gid: NOBODY }),
    });
    const ended = once(child, 'exit');
    const url = `postgres://any:any@127.0.0.1:${port}${target.pathname}`;
    const close = async (): Promise<void> => {
      child.kill('SIGKILL');
      await ended;
      await rm(directory, { recursive: true });
    };
    await eventually(() => answers(url)).catch(async (error: unknown) => {
      await close();
      throw error;
    });
    return new Pooler(url, close);
  }
}

function settingsOf({ hostname, port, username, password }: URL, listen: number, size: number, names: boolean): string {
  const login = `user=${decodeURIComponent(username)} password=${decodeURIComponent(password)}`;
  return [
    '[databases]',
    `* = host=${hostname} port=${port || '5432'} ${login}`,
    '[pgbouncer]',
    'pool_mode = transaction',
    'auth_type = any',
    'listen_addr = 127.0.0.1',
    `listen_port = ${listen}`,
    'unix_socket_dir =',
    'max_client_conn = 200',
    `default_pool_size = ${size}`,
    'ignore_startup_parameters = statement_timeout,lock_timeout,idle_in_transaction_session_timeout,extra_float_digits',
    ...(names ? ['max_prepared_statements = 200'] : []),
    '',
  ].join('\n');
}

async function answers(url: string): Promise<void> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    await client.query('select 1');
  } finally {
    await client.end();
  }
}

import { findBinaries } from './postgres/binaries.js';
import { createCluster, openCluster } from './postgres/cluster.js';
import { queryOnce } from './postgres/connection.js';
import { currentPlace, settleData } from './postgres/data-place.js';
import { databaseUrl, inspectServer } from './postgres/postmaster.js';
import { ServerKeeper } from './postgres/server-keeper.js';
import { bringUp, shutDown } from './postgres/server.js';

export interface EmbeddedPostgresOptions {
  /** Absolute directory of this database alone; made when missing. */
  dataDir: string;
  /** A wish; without one, or when it is taken, a free port is chosen and kept. */
  port?: number;
  /** Gets one line for people at each event worth knowing. */
  log: (line: string) => void;
  /** Whether a commit waits for the disk. Only tests say false. */
  fsync?: boolean;
  /** Further settings of postgresql.conf; values without blanks. */
  settings?: Readonly<Record<string, string>>;
}

export interface EmbeddedPostgres {
  /** Connection string of the service's own database, as its superuser. */
  url: string;
  /** From now on a server that was killed is started again, on the same port; `log` says so. */
  keepUp(): void;
  /** Stops the server cleanly. Calling it again, or when the server is gone, does nothing. */
  stop(): Promise<void>;
}

const DATABASE = 'service';

/**
 * Starts the real PostgreSQL that npm installed, on a directory of its own, or attaches to the one that already runs there.
 * The server lives on when this process is killed; the next start finds it. Rejects with an `Error` whose message is for people.
 */
export async function startEmbeddedPostgres(options: EmbeddedPostgresOptions): Promise<EmbeddedPostgres> {
  const durable = options.fsync !== false;
  const place = await settleData(options.dataDir, options.log);
  const binaries = await findBinaries(place.account, options.log);
  const cluster = (await openCluster(place)) ?? (await createCluster(place, binaries, durable));
  const settings = { ...(durable ? {} : { fsync: 'off', full_page_writes: 'off' }), ...options.settings };
  const up = (wish: number | undefined) => bringUp(cluster, binaries, { port: wish, settings }, options.log);
  const port = await up(options.port);
  await ensureDatabase(databaseUrl(cluster, port, 'postgres'));
  const keeper = new ServerKeeper(cluster, () => up(port), options.log);
  return {
    url: databaseUrl(cluster, port, DATABASE),
    keepUp: () => keeper.begin(),
    stop: async () => {
      await keeper.end();
      await shutDown(cluster, binaries);
    },
  };
}

/** Connection string of the database that runs on the directory now, or `undefined`. Starts and changes nothing. */
export async function findEmbeddedPostgres(dataDir: string): Promise<string | undefined> {
  const cluster = await openCluster(await currentPlace(dataDir));
  if (cluster === undefined) return undefined;
  const state = await inspectServer(cluster);
  return state.kind === 'serving' ? databaseUrl(cluster, state.postmaster.port, DATABASE) : undefined;
}

async function ensureDatabase(maintenanceUrl: string): Promise<void> {
  const known = await queryOnce(maintenanceUrl, 'SELECT FROM pg_database WHERE datname = $1', [DATABASE]);
  if (known.length === 0) await queryOnce(maintenanceUrl, `CREATE DATABASE ${DATABASE}`);
}

import { OperatorError } from './operator-error.js';
import { findBinaries, type PostgresBinaries } from './postgres/binaries.js';
import { type Cluster, createCluster, openCluster } from './postgres/cluster.js';
import { queryOnce } from './postgres/connection.js';
import { currentPlace, type DataPlace, settleData } from './postgres/data-place.js';
import { removeUnfinished } from './postgres/generations.js';
import { databaseUrl, inspectServer } from './postgres/postmaster.js';
import { ServerSupervisor } from './postgres/server-supervisor.js';
import { bringUp, shutDown } from './postgres/server.js';

export interface EmbeddedPostgresOptions {
  /** The directory is created if it does not exist. */
  dataDir: string;
  /** If no port is given or the port is in use, a free port is chosen and stored for later starts. */
  port?: number;
  log: (line: string) => void;
  /** False only in tests. */
  fsync?: boolean;
  /** The values must not contain blanks. */
  settings?: Readonly<Record<string, string>>;
}

export interface EmbeddedPostgres {
  /** The user is the superuser. */
  url: string;
  /** A server that was killed is restarted on the same port. */
  supervise(): void;
  /** Does nothing if it has already stopped. */
  stop(): Promise<void>;
  /** No commit is lost. */
  kill(): Promise<void>;
}

const DATABASE = 'service';

/**
 * If a server of this directory already runs, uses that server. If this process is killed, the server keeps running for
 * the next start.
 * @throws Error with a message for the user
 */
export async function startEmbeddedPostgres(options: EmbeddedPostgresOptions): Promise<EmbeddedPostgres> {
  const place = await settleData(options.dataDir, options.log);
  const binaries = await findBinaries(place.account, options.log);
  await removeUnfinished(place, binaries);
  return servePlace(place, binaries, options);
}

export async function servePlace(
  place: DataPlace,
  binaries: PostgresBinaries,
  options: Omit<EmbeddedPostgresOptions, 'dataDir'>,
): Promise<EmbeddedPostgres> {
  const durable = options.fsync !== false;
  const cluster = (await openCluster(place)) ?? (await createCluster(place, binaries, durable));
  assertSameMajor(cluster, binaries);
  const settings = { ...(durable ? {} : { fsync: 'off', full_page_writes: 'off' }), ...options.settings };
  const up = (wish: number | undefined) => bringUp(cluster, binaries, { port: wish, settings }, options.log);
  const port = await up(options.port);
  try {
    await ensureDatabase(databaseUrl(cluster, port, 'postgres'));
  } catch (error) {
    await shutDown(cluster, binaries);
    throw error;
  }
  const supervisor = new ServerSupervisor(cluster, () => up(port), options.log);
  return {
    url: databaseUrl(cluster, port, DATABASE),
    supervise: () => supervisor.start(),
    stop: async () => {
      await supervisor.stop();
      await shutDown(cluster, binaries);
    },
    kill: async () => {
      await supervisor.stop();
      await shutDown(cluster, binaries, 'immediate');
    },
  };
}

/** Changes nothing. */
export async function findEmbeddedPostgres(dataDir: string): Promise<string | undefined> {
  const cluster = await openCluster(await currentPlace(dataDir));
  if (cluster === undefined) return undefined;
  const state = await inspectServer(cluster);
  return state.kind === 'serving' ? databaseUrl(cluster, state.postmaster.port, DATABASE) : undefined;
}

/** The error of PostgreSQL itself does not say what to do. */
function assertSameMajor({ directory, major }: Cluster, binaries: PostgresBinaries): void {
  if (major === binaries.major) return;
  throw new OperatorError(
    major < binaries.major
      ? `The database in ${directory} was created by PostgreSQL ${major}, but this release has PostgreSQL ${binaries.major}. Run "npm run upgrade-database". It keeps the current database, so that you can return to it.`
      : `The database in ${directory} was created by PostgreSQL ${major}, but this release has the older PostgreSQL ${binaries.major}. Use the release that created it. If you upgraded the database by mistake, "npm run upgrade-database -- --undo" returns to the former one.`,
  );
}

async function ensureDatabase(maintenanceUrl: string): Promise<void> {
  const known = await queryOnce(maintenanceUrl, 'SELECT FROM pg_database WHERE datname = $1', [DATABASE]);
  if (known.length === 0) await queryOnce(maintenanceUrl, `CREATE DATABASE ${DATABASE}`);
}

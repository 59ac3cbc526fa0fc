import type { ClientBase } from 'pg';
import { DataSource, type DataSourceOptions } from 'typeorm';
import type { TenantOf } from './tenant-role.js';

export interface ConnectionSettings {
  url: string;
  /** The most connections this pool opens. */
  poolSize: number;
  /** False: statements have no names, for poolers that do not know names (PgBouncer before 1.21). Default true. */
  prepares?: boolean;
  /** Shown in `pg_stat_activity`. */
  applicationName: string;
  /** Given: repositories see the rows of that workspace alone. */
  tenantOf?: TenantOf;
}

const LIMITS = {
  statement_timeout: 4_000,
  lock_timeout: 2_000,
  idle_in_transaction_session_timeout: 5_000,
  keepAlive: true,
  onConnect: outliveSession,
} as const;

/**
 * The server can end a session in the very packet that says it is ready. TypeORM listens for errors of a connection only a moment
 * after it got it, and an error without a listener ends the process. Whoever uses the connection learns of it all the same.
 */
function outliveSession(connection: ClientBase): void {
  connection.on('error', () => undefined);
}

/** How every connection of the service behaves: it gives up rather than hang (limits in milliseconds). */
function dataSourceOptions(settings: ConnectionSettings): DataSourceOptions {
  return {
    type: 'postgres',
    url: settings.url,
    applicationName: settings.applicationName,
    poolSize: settings.poolSize,
    connectTimeoutMS: 4_000,
    synchronize: false,
    migrationsRun: false,
    migrationsTableName: 'schema_migrations',
    logging: false,
    installExtensions: false,
    extra: connectionOf(settings),
  };
}

/** What the belt adds to a statement goes in one packet with it. */
function connectionOf({ tenantOf }: ConnectionSettings): object {
  return { ...LIMITS, pipeline: tenantOf !== undefined };
}

/** Longer than `statement_timeout`, so that a server that can be reached says itself what it gave up. */
const ANSWER_WITHIN_MILLIS = 4_400;

/**
 * As {@link dataSourceOptions}, and nobody waits for an answer that a broken network has swallowed without a word. Migrations
 * are without that limit: they wait for each other.
 */
export function serviceDataSourceOptions(settings: ConnectionSettings): DataSourceOptions {
  const options = dataSourceOptions(settings);
  return { ...options, extra: { ...connectionOf(settings), query_timeout: ANSWER_WITHIN_MILLIS } };
}

/** A data source outside of Nest: the migration step and the command line use it. */
export function createDataSource(settings: ConnectionSettings): DataSource {
  return new DataSource(dataSourceOptions(settings));
}

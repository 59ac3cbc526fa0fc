import { type ClientBase, Client, type ClientConfig, Pool, type PoolConfig } from 'pg';
import { DataSource, type DataSourceOptions } from 'typeorm';
import type { TenantOf } from './tenant-role.js';

export interface ConnectionSettings {
  url: string;
  poolSize: number;
  /**
   * If false, statements have no names. Required for poolers that do not support named statements (PgBouncer before
   * 1.21). Default true.
   */
  prepares?: boolean;
  /** Name of the connections in `pg_stat_activity`. */
  applicationName: string;
  /** If set, repositories see only the rows of the workspace whose id this function returns. */
  tenantOf?: TenantOf;
}

/** Time limits in milliseconds of a statement. */
export const STATEMENT_LIMITS = {
  statementMillis: 4_000,
  /**
   * Limit of the client for the response. It is longer than `statementMillis`, so that a reachable server ends the
   * statement first and reports the timeout.
   */
  answerMillis: 4_400,
} as const;

const LIMITS = {
  statement_timeout: STATEMENT_LIMITS.statementMillis,
  lock_timeout: 2_000,
  idle_in_transaction_session_timeout: 5_000,
  keepAlive: true,
  onConnect: outliveSession,
} as const;

/**
 * Adds an error listener as soon as the connection is ready. An error that arrives before TypeORM attaches its own
 * listener would otherwise end the process. With the listener, only statements on the connection fail with the error.
 */
function outliveSession(connection: ClientBase): void {
  connection.on('error', () => undefined);
}

/** Options of every connection of the service. Time limits are in milliseconds. */
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

/** With `pipeline`, the client sends the statements that set the tenant role together with the protected statement. */
function connectionOf({ tenantOf }: ConnectionSettings): object {
  return { ...LIMITS, pipeline: tenantOf !== undefined };
}

/**
 * Like {@link dataSourceOptions}, but with a time limit for responses, because a network may drop packets without an
 * error. Migrations have no such limit, because they wait for each other.
 */
export function serviceDataSourceOptions(settings: ConnectionSettings): DataSourceOptions {
  const options = dataSourceOptions(settings);
  return { ...options, extra: { ...connectionOf(settings), query_timeout: STATEMENT_LIMITS.answerMillis } };
}

export function createDataSource(settings: ConnectionSettings): DataSource {
  return new DataSource(dataSourceOptions(settings));
}

/**
 * A client that pipelines its statements. It has an error listener before its session opens, because an error without a
 * listener would end the process.
 */
class HeardClient extends Client {
  constructor(config?: ClientConfig) {
    super({ ...config, pipeline: true });
    this.on('error', () => undefined);
  }
}

/** Creates a pool whose sessions have an error listener from the start. Use it instead of `Pool`. */
export function heardPool(config: PoolConfig): Pool {
  return new Pool({ ...config, Client: HeardClient });
}

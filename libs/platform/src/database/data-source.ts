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
  applicationName: string;
  /** If set, repositories see only the rows of the workspace whose id this function returns. */
  tenantOf?: TenantOf;
}

export const STATEMENT_LIMITS = {
  statementMillis: 4_000,
  /**
   * It is longer than `statementMillis`, so that a reachable server ends the statement first and reports the timeout.
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

/** An error that arrives before TypeORM attaches its own listener would otherwise end the process. */
function outliveSession(connection: ClientBase): void {
  connection.on('error', () => undefined);
}

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

function connectionOf({ tenantOf }: ConnectionSettings): object {
  return { ...LIMITS, pipeline: tenantOf !== undefined };
}

export function serviceDataSourceOptions(settings: ConnectionSettings): DataSourceOptions {
  const options = dataSourceOptions(settings);
  return { ...options, extra: { ...connectionOf(settings), query_timeout: STATEMENT_LIMITS.answerMillis } };
}

export function createDataSource(settings: ConnectionSettings): DataSource {
  return new DataSource(dataSourceOptions(settings));
}

/** It has an error listener before its session opens, because an error without a listener would end the process. */
class HeardClient extends Client {
  constructor(config?: ClientConfig) {
    super({ ...config, pipeline: true });
    this.on('error', () => undefined);
  }
}

export function heardPool(config: PoolConfig): Pool {
  return new Pool({ ...config, Client: HeardClient });
}

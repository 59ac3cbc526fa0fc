import { Client, type ClientConfig, Pool, type PoolConfig } from 'pg';
import { DataSource, type DataSourceOptions } from 'typeorm';
import { CONNECT_MILLIS, connectionOf, type ConnectionSettings, STATEMENT_LIMITS } from './service-pool.js';

function dataSourceOptions(settings: ConnectionSettings): DataSourceOptions {
  return {
    type: 'postgres',
    url: settings.url,
    applicationName: settings.applicationName,
    poolSize: settings.poolSize,
    connectTimeoutMS: CONNECT_MILLIS,
    synchronize: false,
    migrationsRun: false,
    migrationsTableName: 'schema_migrations',
    logging: false,
    installExtensions: false,
    extra: connectionOf(settings),
  };
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

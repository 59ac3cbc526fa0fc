import { randomBytes } from 'node:crypto';

export interface N8nSettings {
  databaseUrl: string;
  redisUrl: string;
  /** Prefix of all keys of n8n in Redis. */
  prefix: string;
  userFolder: string;
}

/**
 * Returns the environment variables of n8n. With these variables, n8n connects only to its stores and the tool, listens
 * only on the loopback address, and stores the data of runs.
 */
export function n8nEnvironment({ databaseUrl, redisUrl, prefix, userFolder }: N8nSettings): Record<string, string> {
  const database = new URL(databaseUrl);
  const redis = new URL(redisUrl);
  return {
    NODE_ENV: 'production',
    HOME: userFolder,
    N8N_USER_FOLDER: userFolder,
    N8N_ENCRYPTION_KEY: randomBytes(24).toString('hex'),
    N8N_LISTEN_ADDRESS: '127.0.0.1',
    N8N_HOST: '127.0.0.1',
    N8N_SECURE_COOKIE: 'false',
    N8N_LOG_LEVEL: 'warn',

    EXECUTIONS_MODE: 'queue',
    EXECUTIONS_DATA_SAVE_ON_SUCCESS: 'all',
    EXECUTIONS_DATA_SAVE_ON_ERROR: 'all',
    DB_TYPE: 'postgresdb',
    DB_POSTGRESDB_HOST: database.hostname,
    DB_POSTGRESDB_PORT: database.port,
    DB_POSTGRESDB_USER: decodeURIComponent(database.username),
    DB_POSTGRESDB_PASSWORD: decodeURIComponent(database.password),
    DB_POSTGRESDB_DATABASE: database.pathname.slice(1),
    // The benchmark gives this service, DBOS and n8n 10 database connections each. The default of n8n is 2.
    DB_POSTGRESDB_POOL_SIZE: '10',
    QUEUE_BULL_REDIS_HOST: redis.hostname,
    QUEUE_BULL_REDIS_PORT: redis.port,
    QUEUE_BULL_PREFIX: prefix,
    N8N_REDIS_KEY_PREFIX: prefix,

    N8N_DIAGNOSTICS_ENABLED: 'false',
    N8N_VERSION_NOTIFICATIONS_ENABLED: 'false',
    N8N_VERSION_NOTIFICATIONS_WHATS_NEW_ENABLED: 'false',
    N8N_DYNAMIC_BANNERS_ENABLED: 'false',
    N8N_TEMPLATES_ENABLED: 'false',
    N8N_HIRING_BANNER_ENABLED: 'false',
    N8N_PERSONALIZATION_ENABLED: 'false',
    N8N_LICENSE_AUTO_RENEW_ENABLED: 'false',
    N8N_COMMUNITY_PACKAGES_ENABLED: 'false',
  };
}

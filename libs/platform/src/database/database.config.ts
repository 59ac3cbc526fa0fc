import { type ConfigOf, ConfigurationError, defineConfig, setting } from '@app/platform/config';

export const DATABASE_URL_MISSING = 'DATABASE_URL is missing: set it to postgres://user:password@host:5432/database.';

export const databaseConfig = defineConfig({
  title: 'Database',
  readBy: ['api', 'worker', 'migrate', 'npm start'],
  settings: {
    databaseUrl: setting.url('DATABASE_URL', {
      schemes: ['postgres', 'postgresql'],
      secret: true,
      defaultNote: '`npm start` starts its own Postgres; required for a fleet',
      description:
        'Address of the Postgres database (Postgres 15 or later): `postgres://user:password@host:5432/database`.',
    }),
    databasePoolSize: setting.integer('DATABASE_POOL_SIZE', {
      default: 10,
      min: 1,
      max: 200,
      unit: 'connections',
      description:
        'Maximum number of connections in the pool of one process. docs/operations.md lists the connections outside ' +
        'the pool.',
      readBy: ['api', 'worker', 'npm start'],
    }),
  },
});
export type DatabaseConfig = ConfigOf<typeof databaseConfig>;

export function requireDatabaseUrl({ databaseUrl }: DatabaseConfig): string {
  if (databaseUrl === undefined) throw new ConfigurationError([DATABASE_URL_MISSING]);
  return databaseUrl;
}

import { loadSettings } from '@app/installation/settings';
import { ConfigurationError } from '@app/platform/config';
import { databaseConfig, requireDatabaseUrl } from '@app/platform/database';
import { createLogger, type Logger, loggingConfig } from '@app/platform/observability';
import { migrateQueue } from '@app/platform/queue';
import { migrateSchema } from '@app/installation';

/** The migration step of a deployment. Updates the database to this release. The step can be repeated. */
async function migrate(databaseUrl: string, logger: Logger): Promise<void> {
  const { migrations, functionSets } = await migrateSchema(databaseUrl);
  await migrateQueue(databaseUrl);
  const changed = [...migrations, ...functionSets];
  logger.info(
    { migrations, functionSets },
    changed.length > 0 ? `migrated: ${changed.join(', ')}` : 'already up to date',
  );
}

try {
  const config = loadSettings();
  const { logLevel: level, logFormat: format } = config.get(loggingConfig);
  const logger = createLogger({ level, format, name: 'migrate' });
  await migrate(requireDatabaseUrl(config.get(databaseConfig)), logger).catch((error: unknown) => {
    logger.fatal({ err: error }, 'migration failed');
    process.exitCode = 1;
  });
} catch (error) {
  if (!(error instanceof ConfigurationError)) throw error;
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 1;
}

import 'reflect-metadata';
import { loadServiceSettings } from '@app/installation/settings';
import { type Config, ConfigurationError, useUtc } from '@app/platform/config';
import { databaseConfig, requireDatabaseUrl } from '@app/platform/database';
import { createLogger, type Logger, loggingConfig } from '@app/platform/observability';
import { redisConfig } from '@app/platform/redis';
import { addressConfig, limitHeapGrowth, waitForDatabase } from '@app/platform/startup';
import { Worker } from './worker.js';

// With this exit code, a supervisor can see that the process ended because it lost its lease, and not because of an
// error.
const EXIT_LEASE_LOST = 9;

async function work(config: Config, logger: Logger): Promise<void> {
  const { host, workerPort: port } = config.get(addressConfig);
  const databaseUrl = requireDatabaseUrl(config.get(databaseConfig));
  const { redisUrl } = config.get(redisConfig);
  const { prepares } = await waitForDatabase({ name: 'worker', databaseUrl, redisUrl, host, port, logger });
  const worker = await Worker.start(config, prepares, logger);
  logger.info('worker: started');
  void worker.leaseLost.then(() => process.exit(EXIT_LEASE_LOST));
  let stopping = false;
  const stop = (signal: NodeJS.Signals): void => {
    if (stopping) return;
    stopping = true;
    logger.info({ signal }, 'worker: shutting down');
    worker.stop().then(
      () => process.exit(0),
      (error: unknown) => {
        logger.error({ err: error }, 'worker: shutdown failed');
        process.exit(1);
      },
    );
  };
  process.on('SIGTERM', stop);
  process.on('SIGINT', stop);
}

useUtc();
limitHeapGrowth();
try {
  const config = loadServiceSettings();
  const { logLevel: level, logFormat: format } = config.get(loggingConfig);
  const logger = createLogger({ level, format, name: 'worker' });
  await work(config, logger).catch((error: unknown) => {
    logger.fatal({ err: error }, 'worker: start failed');
    process.exit(1);
  });
} catch (error) {
  // Configuration errors are for the operator, so they are printed without a stack trace.
  if (!(error instanceof ConfigurationError)) throw error;
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 1;
}

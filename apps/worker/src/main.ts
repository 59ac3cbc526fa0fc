import 'reflect-metadata';
import { ConfigurationError, loadEnv, requireForService, type ServiceEnv } from '@app/platform/config';
import { limitHeapGrowth } from '@app/platform/memory';
import { createLogger, type Logger } from '@app/platform/observability';
import { waitForDatabase } from '@app/platform/startup';
import { Worker } from './worker.js';

// Tells a supervisor that the process ended because it was taken for dead, not because of an error.
const EXIT_LEASE_LOST = 9;

async function work(configured: ServiceEnv, logger: Logger): Promise<void> {
  const { host, workerPort: port } = configured;
  const env = await waitForDatabase(configured, { name: 'worker', host, port, logger });
  const worker = await Worker.start(env, logger);
  logger.info('ready for runs');
  void worker.leaseLost.then(() => process.exit(EXIT_LEASE_LOST));
  let stopping = false;
  const stop = (signal: NodeJS.Signals): void => {
    if (stopping) return;
    stopping = true;
    logger.info({ signal }, 'draining');
    worker.stop().then(
      () => process.exit(0),
      (error: unknown) => {
        logger.error({ err: error }, 'the worker did not stop cleanly');
        process.exit(1);
      },
    );
  };
  process.on('SIGTERM', stop);
  process.on('SIGINT', stop);
}

limitHeapGrowth();
try {
  const env = requireForService(loadEnv());
  const logger = createLogger({ level: env.logLevel, format: env.logFormat, name: 'worker' });
  await work(env, logger).catch((error: unknown) => {
    logger.fatal({ err: error }, 'the worker could not start');
    process.exit(1);
  });
} catch (error) {
  // One line per mistake, for the operator who reads it in a terminal.
  if (!(error instanceof ConfigurationError)) throw error;
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 1;
}

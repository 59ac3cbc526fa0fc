import 'reflect-metadata';
import { systemClock } from '@app/kernel';
import { ConfigurationError, loadEnv, requireForService, type ServiceEnv } from '@app/platform/config';
import { limitHeapGrowth } from '@app/platform/memory';
import { createLogger, type Logger, startTracing } from '@app/platform/observability';
import { createApi } from './api.js';
import { SmtpListener } from './mail/smtp-listener.service.js';
import { exitOnSignals } from './shutdown.js';

async function serve(env: ServiceEnv, logger: Logger): Promise<void> {
  const tracing = await startTracing(env, 'api', logger);
  const app = await createApi({ env, logger, clock: systemClock, tracing });
  exitOnSignals(app, logger, systemClock);
  await app.listen(env.port, env.host);
  await app.get(SmtpListener).start();
  logger.info({ url: await app.getUrl() }, 'listening');
}

limitHeapGrowth();
try {
  const env = requireForService(loadEnv());
  const logger = createLogger({ level: env.logLevel, format: env.logFormat, name: 'api' });
  await serve(env, logger).catch((error: unknown) => {
    logger.fatal({ err: error }, 'the api could not start');
    process.exit(1);
  });
} catch (error) {
  // One line per mistake, for the operator who reads it in a terminal.
  if (!(error instanceof ConfigurationError)) throw error;
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 1;
}

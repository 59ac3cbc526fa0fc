import 'reflect-metadata';
import { systemClock } from '@app/kernel';
import { ConfigurationError, loadEnv, requireForService, type ServiceEnv } from '@app/platform/config';
import { StorageAlarm } from '@app/platform/database';
import { limitHeapGrowth } from '@app/platform/memory';
import { createLogger, type Logger, startTracing } from '@app/platform/observability';
import { hearParent, waitForDatabase } from '@app/platform/startup';
import { createApi } from './api.js';
import { SmtpListener } from './mail/smtp-listener.service.js';
import { exitOnSignals } from './shutdown.js';
import { StopListener } from './stop-listener/stop-listener.js';

async function serve(configured: ServiceEnv, logger: Logger): Promise<void> {
  const { host, port: configuredPort } = configured;
  const env = await waitForDatabase(configured, { name: 'api', host, port: configuredPort, logger });
  const listener = new StopListener(env, logger, systemClock);
  const tracing = await startTracing(env, 'api', logger);
  const app = await createApi({ env, logger, clock: systemClock, tracing });
  exitOnSignals(app, listener, logger, systemClock);
  hearParent(app.get(StorageAlarm, { strict: false }));
  const port = await listener.serve(app, env);
  await app.get(SmtpListener).start();
  logger.info({ url: `http://${env.host.includes(':') ? `[${env.host}]` : env.host}:${port}` }, 'listening');
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

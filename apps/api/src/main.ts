import 'reflect-metadata';
import { systemClock } from '@app/kernel';
import { loadServiceSettings } from '@app/installation/settings';
import { type Config, ConfigurationError, useUtc } from '@app/platform/config';
import { databaseConfig, requireDatabaseUrl, StorageAlarmService } from '@app/platform/database';
import { createLogger, type Logger, loggingConfig, startTracing, telemetryConfig } from '@app/platform/observability';
import { redisConfig } from '@app/platform/redis';
import { addressConfig, limitHeapGrowth, receiveParentMessages, waitForDatabase } from '@app/platform/startup';
import { createApi } from './api.js';
import { SmtpListener } from './mail/smtp.listener.js';
import { exitOnSignals } from './shutdown.js';
import { StopListener } from './stop-listener/stop-listener.js';

async function serve(config: Config, logger: Logger): Promise<void> {
  const { host, port: configuredPort } = config.get(addressConfig);
  const databaseUrl = requireDatabaseUrl(config.get(databaseConfig));
  const { redisUrl } = config.get(redisConfig);
  const { prepares } = await waitForDatabase({
    name: 'api',
    databaseUrl,
    redisUrl,
    host,
    port: configuredPort,
    logger,
  });
  const listener = new StopListener(prepares, logger, systemClock);
  const tracing = await startTracing(config.get(telemetryConfig), 'api', logger);
  const app = await createApi({ config, prepares, logger, clock: systemClock, tracing });
  exitOnSignals(app, listener, logger, systemClock);
  receiveParentMessages(app.get(StorageAlarmService, { strict: false }));
  const port = await listener.serve(app, { host, port: configuredPort });
  await app.get(SmtpListener).start();
  logger.info({ url: `http://${host.includes(':') ? `[${host}]` : host}:${port}` }, 'api: listening');
}

useUtc();
limitHeapGrowth();
try {
  const config = loadServiceSettings();
  const { logLevel: level, logFormat: format } = config.get(loggingConfig);
  const logger = createLogger({ level, format, name: 'api' });
  await serve(config, logger).catch((error: unknown) => {
    logger.fatal({ err: error }, 'api: start failed');
    process.exit(1);
  });
} catch (error) {
  // Configuration errors are for the operator, so they are printed without a stack trace.
  if (!(error instanceof ConfigurationError)) throw error;
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 1;
}

import 'reflect-metadata';
import type { AddressInfo } from 'node:net';
import { systemClock } from '@app/kernel';
import { loadServiceSettings } from '@app/installation/settings';
import { type Config, ConfigurationError, useUtc } from '@app/platform/config';
import { databaseConfig, requireDatabaseUrl, StorageAlarmService } from '@app/platform/database';
import {
  createLogger,
  type Logger,
  loggingConfig,
  Metrics,
  startTracing,
  telemetryConfig,
} from '@app/platform/observability';
import { redisConfig } from '@app/platform/redis';
import { addressConfig, limitHeapGrowth, receiveParentMessages, waitForDatabase } from '@app/platform/startup';
import { createApi } from './api.js';
import { MainThreadHealthService } from './health/main-thread-health.service.js';
import { SmtpListener } from './mail/smtp.listener.js';
import { exitOnSignals } from './shutdown.js';
import { processSettings, StopListener } from './stop-listener/stop-listener.js';

async function serve(config: Config, logger: Logger): Promise<void> {
  const { host, port: configuredPort, stopListener } = config.get(addressConfig);
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
  const listener =
    stopListener && new StopListener(stopListener, processSettings(config), prepares, logger, systemClock);
  const tracing = await startTracing(config.get(telemetryConfig), 'api', logger);
  const app = await createApi({ config, prepares, logger, clock: systemClock, tracing });
  exitOnSignals(app, listener, logger, systemClock);
  receiveParentMessages(app.get(StorageAlarmService, { strict: false }));
  const stopPort = listener ? await listener.serve(app.get(Metrics)) : null;
  app.get(MainThreadHealthService).stopPort = stopPort;
  await app.listen(configuredPort, host);
  await app.get(SmtpListener).start();
  const { port } = app.getHttpServer().address() as AddressInfo;
  logger.info({ url: `http://${host.includes(':') ? `[${host}]` : host}:${port}`, stopPort }, 'api: listening');
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

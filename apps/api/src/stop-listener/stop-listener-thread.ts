import 'reflect-metadata';
import type { AddressInfo } from 'node:net';
import { parentPort, workerData } from 'node:worker_threads';
import type { NestExpressApplication } from '@nestjs/platform-express';
import type { NextFunction, Request, Response } from 'express';
import { errorText, invariant, systemClock } from '@app/kernel';
import { apiConfig, loadServiceSettings } from '@app/installation/settings';
import { createLogger, loggingConfig, Metrics, startTracing, telemetryConfig } from '@app/platform/observability';
import { addressConfig } from '@app/platform/startup';
import { createHttpApp } from '../http/http-app.js';
import { drain } from '../http/http-server-limits.js';
import { permitConsole } from './console-origin.js';
import { MainThreadWatch } from './main-thread-watch.js';
import { StopListenerModule } from './stop-listener.module.js';
import type { MessageToMain, MessageToThread, ThreadSettings } from './thread-messages.js';
import { WatchedHealth } from './watched-health.js';

// The program of the thread that listens on STOP_PORT. It serves the emergency stop, `/healthz` and `/metrics`. See
// "A busy api" in docs/operations.md.

const RETRY_MILLIS = 1_000;

invariant(parentPort, 'this file is the program of a thread');
const main = parentPort;
const { host, port, heartbeat, isFirst, prepares } = workerData as ThreadSettings;
const tell = (message: MessageToMain): void => main.postMessage(message);

const config = loadServiceSettings();
const { logLevel: level, logFormat: format } = config.get(loggingConfig);
const { publicUrl } = config.get(addressConfig);
const logger = createLogger({ level, format, name: 'api' });
const metrics = new Metrics({ ofNode: false });
const health = new WatchedHealth({
  watch: new MainThreadWatch(heartbeat),
  stallLimit: config.get(apiConfig).stallLimitMillis,
  askForMetrics: () => tell({ type: 'ask-metrics' }),
  now: () => systemClock.monotonicMillis(),
});
const serving = serve();
serving.catch(() => undefined);

main.on('message', (message: MessageToThread) => {
  if (message.type === 'metrics') health.receiveMetrics(message.metrics);
  else void end();
});

/**
 * Starts the server. If this fails, for example because Postgres is unreachable, the first thread of the process
 * reports the error, and a restarted thread retries.
 */
async function serve(): Promise<NestExpressApplication> {
  for (;;) {
    try {
      return await openApp();
    } catch (error) {
      if (isFirst) {
        tell({ type: 'failed', error });
        throw error;
      }
      logger.error({ err: error }, 'stop listener: starting the HTTP server failed, retrying');
      await systemClock.sleep(RETRY_MILLIS);
    }
  }
}

async function openApp(): Promise<NestExpressApplication> {
  // The main thread exports the metrics of both threads.
  const tracing = await startTracing({ ...config.get(telemetryConfig), metrics: null }, 'api', logger);
  const dependencies = { config, prepares, logger, clock: systemClock, tracing, metrics, health };
  const app = await createHttpApp(StopListenerModule.of(dependencies), dependencies);
  permitConsole(app, publicUrl);
  app.use(reportMetrics);
  await app.listen(port, host).catch((error: unknown) => {
    throw new Error(`The api cannot listen on STOP_PORT, ${host}:${port}: ${errorText(error)}`, { cause: error });
  });
  health.stopPort = (app.getHttpServer().address() as AddressInfo).port;
  tell({ type: 'listening', port: health.stopPort });
  return app;
}

function reportMetrics(_request: Request, response: Response, next: NextFunction): void {
  response.once('close', () => void metrics.read().then((counted) => tell({ type: 'counted', metrics: counted })));
  next();
}

async function end(): Promise<void> {
  try {
    const app = await serving;
    await drain(app.getHttpServer(), systemClock);
    await app.close();
  } finally {
    process.exit(0);
  }
}

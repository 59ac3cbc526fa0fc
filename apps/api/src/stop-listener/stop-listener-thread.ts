import 'reflect-metadata';
// eslint-disable-next-line project/no-raw-network -- accepts connections, opens none
import { createServer, type AddressInfo, type Socket } from 'node:net';
import { parentPort, workerData } from 'node:worker_threads';
import type { NestExpressApplication } from '@nestjs/platform-express';
import type { NextFunction, Request, Response } from 'express';
import { invariant, systemClock } from '@app/kernel';
import { apiConfig, loadServiceSettings } from '@app/installation/settings';
import { createLogger, loggingConfig, Metrics, startTracing, telemetryConfig } from '@app/platform/observability';
import { createHttpApp } from '../http/http-app.js';
import { FIRST_LINE_MILLIS, refuseLateClient } from '../http/http-server-limits.js';
import { LARGEST_JSON } from '../http/request-decorators.js';
import { ClientConnection } from './client-connection.js';
import { type ForwardAddress, newForwardAddress, serveForwarded } from './forwarded-connection.js';
import { MainThreadWatch } from './main-thread-watch.js';
import { StopListenerModule } from './stop-listener.module.js';
import type { MessageToMain, MessageToThread, ThreadSettings } from './thread-messages.js';
import { WatchedHealth } from './watched-health.js';

// The program of the thread that owns the port of the API. It handles the emergency stop, `/healthz` and `/metrics`
// itself and forwards all other bytes unchanged to the main thread. See "A busy api" in docs/operations.md.

const RETRY_MILLIS = 1_000;

invariant(parentPort, 'this file is the program of a thread');
const main = parentPort;
const { main: mainAddress, heartbeat, isFirst, prepares } = workerData as ThreadSettings;
const tell = (message: MessageToMain): void => main.postMessage(message);

const config = loadServiceSettings();
const { logLevel: level, logFormat: format } = config.get(loggingConfig);
const logger = createLogger({ level, format, name: 'api' });
const metrics = new Metrics({ ofNode: false });
const health = new WatchedHealth({
  watch: new MainThreadWatch(heartbeat),
  stallLimit: config.get(apiConfig).stallLimitMillis,
  askForMetrics: () => tell({ type: 'ask-metrics' }),
  now: () => systemClock.monotonicMillis(),
});
const connections = new Set<ClientConnection>();
const server = createServer({ allowHalfOpen: true, noDelay: true }, accept);
server.on('error', (error) => tell({ type: 'failed', error }));
const serving = serve();
serving.catch(() => undefined);
let app: NestExpressApplication | undefined;
let isEnding = false;

main.on('message', (message: MessageToThread) => {
  if (message.type === 'metrics') health.receiveMetrics(message.metrics);
  else if (message.type === 'end') void end();
  else {
    server.listen(message.port, message.host, () => {
      tell({ type: 'listening', port: (server.address() as AddressInfo).port });
    });
  }
});

function accept(client: Socket): void {
  const connection = new ClientConnection(client, {
    destinations: { ordinary: mainAddress, urgent: () => serving },
    firstLineMillis: FIRST_LINE_MILLIS,
    onLate: refuseLateClient,
    isEnding: () => isEnding,
  });
  connections.add(connection);
  client.once('close', () => {
    connections.delete(connection);
    if (isEnding && connections.size === 0) void closeApp();
  });
}

/**
 * Starts the server of this thread and returns its address. If this fails, for example because Postgres is unreachable,
 * the first thread of the process reports the error, and a restarted thread retries.
 */
async function serve(): Promise<ForwardAddress> {
  for (;;) {
    try {
      const address = await openApp();
      tell({ type: 'ready' });
      return address;
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

async function openApp(): Promise<ForwardAddress> {
  // The main thread exports the metrics of both threads.
  const tracing = await startTracing({ ...config.get(telemetryConfig), metrics: null }, 'api', logger);
  const dependencies = { config, prepares, logger, clock: systemClock, tracing, metrics, health };
  const opened = await createHttpApp(StopListenerModule.of(dependencies), dependencies);
  opened.use(oneAnswer);
  await opened.init();
  const address = newForwardAddress();
  await serveForwarded(opened.getHttpServer(), address);
  app = opened;
  return address;
}

/** Closes the connection after one response, because the next request of the client may be for the main thread. */
function oneAnswer(request: Request, response: Response, next: NextFunction): void {
  response.setHeader('Connection', 'close');
  response.once('close', () => void metrics.read().then((counted) => tell({ type: 'counted', metrics: counted })));
  if (Number(request.headers['content-length'] ?? 0) <= LARGEST_JSON) return next();
  // The body is too large, so the request will be rejected. The body is still read to its end. Otherwise a client that
  // is still sending when the connection ends could lose the response.
  request.once('end', next).resume();
}

async function end(): Promise<void> {
  isEnding = true;
  server.close();
  for (const connection of connections) connection.closeIfUnused();
  if (connections.size === 0) await closeApp();
}

async function closeApp(): Promise<void> {
  app?.getHttpServer().close();
  await app?.close();
  process.exit(0);
}

import { once } from 'node:events';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { parentPort, workerData } from 'node:worker_threads';
import { errorText, invariant, systemClock } from '@app/kernel';
import { ReservedStatements, servicePool, Statements } from '@app/platform/database';
import { createLogger, ForwardedHistograms, startTracing } from '@app/platform/observability';
import { openRateLimits } from '@app/platform/rate-limits';
import { EmergencyStopService } from '@app/runs/emergency-stop';
import {
  ApiKeyAuthenticationService,
  ApiKeyCacheService,
  KeyOwnerStore,
  RefusalLogService,
  SessionAuthenticationService,
  SessionOwnerStore,
} from '@app/workspace';
import { AuthenticationService } from '../http/authentication.service.js';
import { CallerAccessService } from '../http/caller-access.service.js';
import { drain } from '../http/http-server-limits.js';
import { RequestLimitsService } from '../http/request-limits.service.js';
import { SessionCookieService } from '../http/session-cookie.service.js';
import { MainThreadWatch } from './main-thread-watch.js';
import { createStopServer } from './stop-server.js';
import type { MessageToMain, MessageToThread, ThreadSettings } from './thread-messages.js';
import { WatchedHealth } from './watched-health.js';

// The program of the thread that listens on STOP_PORT. It serves the emergency stop, `/healthz` and `/metrics`. See
// "A busy api" in docs/operations.md. It loads neither Nest nor TypeORM, which would cost 40 MB in each api.

const RETRY_MILLIS = 1_000;
/**
 * Size of the connection pool that records rejected calls and the last use of API keys. The emergency stop itself uses
 * the reserved connections.
 */
const POOL_SIZE = 2;

invariant(parentPort, 'this file is the program of a thread');
const main = parentPort;
const settings = workerData as ThreadSettings;
const tell = (message: MessageToMain): void => main.postMessage(message);

const logger = createLogger({ level: settings.logging.logLevel, format: settings.logging.logFormat, name: 'api' });
const health = new WatchedHealth({
  watch: new MainThreadWatch(settings.heartbeat),
  stallLimit: settings.stallLimitMillis,
  askForMetrics: () => tell({ type: 'ask-metrics' }),
  now: () => systemClock.monotonicMillis(),
});
const connection = { url: settings.databaseUrl, poolSize: POOL_SIZE, prepares: settings.prepares };
const pool = servicePool({ ...connection, applicationName: 'api stop listener' });
const reserve = new ReservedStatements({ ...connection, applicationName: 'api stop listener' });
const serving = serve();
serving.catch(() => undefined);

main.on('message', (message: MessageToThread) => {
  if (message.type === 'metrics') health.receiveMetrics(message.metrics);
  else void end();
});

/**
 * Starts the server. If this fails, for example because the port is in use, the first thread of the process reports the
 * error, and a restarted thread retries.
 */
async function serve(): Promise<Server> {
  const { host, port, isFirst } = settings;
  const server = await createServer();
  for (;;) {
    try {
      server.listen(port, host);
      await once(server, 'listening');
      health.stopPort = (server.address() as AddressInfo).port;
      tell({ type: 'listening', port: health.stopPort });
      return server;
    } catch (cause) {
      const error = new Error(`The api cannot listen on STOP_PORT, ${host}:${port}: ${errorText(cause)}`, { cause });
      if (isFirst) {
        tell({ type: 'failed', error });
        throw error;
      }
      logger.error({ err: error }, 'stop listener: starting the HTTP server failed, retrying');
      await systemClock.sleep(RETRY_MILLIS);
    }
  }
}

async function createServer(): Promise<Server> {
  const { address, allowsInsecureCookies, rateLimits, redis, startBudgetMillis, telemetry } = settings;
  // The main thread counts the metrics of both threads, and exports them.
  const metrics = new ForwardedHistograms((measurement) => tell({ type: 'measured', measurement }));
  const tracing = await startTracing({ ...telemetry, metrics: null }, 'api', logger);
  const statements = new Statements(pool, settings.prepares);
  const cache = new ApiKeyCacheService(systemClock);
  const stops = new EmergencyStopService(reserve, systemClock, { startBudgetMillis }, logger, metrics);
  await stops.onApplicationBootstrap();
  const authentication = new AuthenticationService(
    new ApiKeyAuthenticationService(new KeyOwnerStore(statements, reserve), cache, systemClock),
    new SessionAuthenticationService(new SessionOwnerStore(statements, reserve), cache, systemClock),
    new SessionCookieService(address, { allowsInsecureCookies }),
    address,
    // Tokens of MCP clients are valid at the addresses for MCP only, which this port does not serve.
    { mcpOauth: 'off' },
  );
  const limits = new RequestLimitsService(await openRateLimits(rateLimits, redis, logger));
  const callers = new CallerAccessService(authentication, new RefusalLogService(statements), limits, logger);
  const { publicUrl } = address;
  return createStopServer({ callers, stops, health, publicUrl, logger, metrics, clock: systemClock, tracing });
}

async function end(): Promise<void> {
  try {
    await drain(await serving, systemClock);
    await Promise.all([reserve.onApplicationShutdown(), pool.end()]);
  } finally {
    process.exit(0);
  }
}

import type { Server } from 'node:http';
import type { INestApplication } from '@nestjs/common';
import type { Clock } from '@app/kernel';
import type { Logger } from '@app/platform/observability';
import { EventStreamsService } from './http/event-streams.service.js';
import { drain } from './http/http-server-limits.js';
import { McpWaitsService } from './mcp/mcp-waits.service.js';
import { RunWaitsService } from './runs/run-waits.service.js';
import { WebhookResponsesService } from './webhook-triggers/webhook-responses.service.js';
import { SmtpListener } from './mail/smtp.listener.js';
import { type StopListener } from './stop-listener/stop-listener.js';

/** Maximum time in milliseconds for the whole shutdown. Supervisors usually kill a process after 30 s. */
const TOTAL_LIMIT = 25_000;

/**
 * Shuts the process down on SIGTERM or SIGINT: accepts no new requests, finishes current requests and closes
 * connections. The exit code is 0, or 1 if the shutdown fails or takes too long.
 */
export function exitOnSignals(
  app: INestApplication<Server>,
  listener: StopListener | null,
  logger: Logger,
  clock: Clock,
): void {
  let begun = false;
  const onSignal = (signal: NodeJS.Signals): void => {
    if (begun) return;
    begun = true;
    logger.info({ signal }, 'api: shutting down');
    setTimeout(() => process.exit(1), TOTAL_LIMIT).unref();
    const shutDownAll = async (): Promise<void> => {
      listener?.stopAccepting();
      await shutDown(app, clock);
      await listener?.close();
    };
    shutDownAll().then(
      () => process.exit(0),
      (error: unknown) => {
        logger.error({ err: error }, 'api: shutdown failed');
        process.exit(1);
      },
    );
  };
  process.on('SIGTERM', onSignal);
  process.on('SIGINT', onSignal);
}

/**
 * First ends event streams and requests that wait for a run, which would otherwise last as long as their runs. Then
 * finishes other requests and mails. Closes the modules last, because current requests need the database and the queue,
 * which Nest would close before the HTTP server.
 */
export async function shutDown(app: INestApplication<Server>, clock: Clock): Promise<void> {
  app.get(EventStreamsService, { strict: false }).endAll();
  app.get(RunWaitsService, { strict: false }).endAll();
  app.get(WebhookResponsesService, { strict: false }).endAll();
  app.get(McpWaitsService, { strict: false }).endAll();
  await Promise.all([app.get(SmtpListener, { strict: false }).stop(), drain(app.getHttpServer(), clock)]);
  await app.close();
}

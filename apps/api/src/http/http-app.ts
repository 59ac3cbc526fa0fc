import type { DynamicModule } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import type { NestExpressApplication } from '@nestjs/platform-express';
import express from 'express';
import type { Clock } from '@app/kernel';
import { type Logger, Metrics, NestLogger, Tracing } from '@app/platform/observability';
import { ApiHttpAdapter } from './api-http-adapter.js';
import { hardenHttpServer } from './http-server-limits.js';
import { requestContext } from './request-context.js';
import { assertEveryRouteIsGuarded, RouteTableService } from './route-table.service.js';
import { cacheValidationRules } from './request-validation.js';
import { securityHeaders } from './security-headers.js';

/**
 * Creates an HTTP application with the middleware, guards and limits of the API. The caller must call `init`.
 * @throws Error if a route declares no access
 */
export async function createHttpApp(
  root: DynamicModule,
  { logger, clock }: { logger: Logger; clock: Clock },
): Promise<NestExpressApplication> {
  cacheValidationRules();
  const app = await NestFactory.create<NestExpressApplication>(root, new ApiHttpAdapter(expressServer()), {
    bodyParser: false,
    abortOnError: false,
    logger: new NestLogger(logger.child({}, { level: 'warn' })),
  });
  app.use(requestContext(logger, app.get(Metrics), clock, app.get(Tracing)), securityHeaders());
  assertEveryRouteIsGuarded(app.get(RouteTableService).all());
  hardenHttpServer(app.getHttpServer());
  return app;
}

/**
 * Express reads these settings when it creates its router, so they are set before Nest uses the server. Handlers set
 * ETags themselves.
 */
function expressServer(): express.Express {
  const server = express();
  server.set('case sensitive routing', true);
  server.set('etag', false);
  server.disable('x-powered-by');
  return server;
}

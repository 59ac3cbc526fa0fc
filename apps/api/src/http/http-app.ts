import type { DynamicModule } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import type { NestExpressApplication } from '@nestjs/platform-express';
import express from 'express';
import type { RequestHandler } from 'express';
import helmet from 'helmet';
import type { Clock } from '@app/kernel';
import { type Logger, Metrics, NestLogger, Tracing } from '@app/platform/observability';
import { ApiHttpAdapter } from './api-http-adapter.js';
import { hardenHttpServer } from './http-server-limits.js';
import { requestContext } from './request-context.js';
import { assertEveryRouteIsGuarded, RouteTableService } from './route-table.service.js';

/**
 * An HTTP application with the middleware, the guards and the limits of the api, not initialised.
 * @throws Error when a route declares no access
 */
export async function createHttpApp(
  root: DynamicModule,
  { logger, clock }: { logger: Logger; clock: Clock },
): Promise<NestExpressApplication> {
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

/** Express reads these settings when it makes its router, so Nest must not make it. ETags are set where an answer can be cached. */
function expressServer(): express.Express {
  const server = express();
  server.set('case sensitive routing', true);
  server.set('etag', false);
  server.disable('x-powered-by');
  return server;
}

/**
 * Headers for answers that no browser should render, frame or keep. HSTS is left to the proxy that terminates TLS. The
 * documentation page replaces the content policy by its own.
 */
function securityHeaders(): RequestHandler {
  const harden = helmet({
    contentSecurityPolicy: {
      useDefaults: false,
      directives: { defaultSrc: ["'none'"], frameAncestors: ["'none'"] },
    },
    crossOriginOpenerPolicy: false,
    originAgentCluster: false,
    strictTransportSecurity: false,
    frameguard: { action: 'deny' },
    xDnsPrefetchControl: false,
    xDownloadOptions: false,
    xPermittedCrossDomainPolicies: false,
    xXssProtection: false,
  });
  return (request, response, next) => {
    response.setHeader('Cache-Control', 'no-store');
    harden(request, response, next);
  };
}

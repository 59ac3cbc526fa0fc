import { NestFactory } from '@nestjs/core';
import type { NestExpressApplication } from '@nestjs/platform-express';
import express from 'express';
import { TenantBelt } from '@app/platform/database';
import { Metrics, NestLogger, Tracing } from '@app/platform/observability';
import { type ApiDependencies, ApiModule } from './api.module.js';
import { ApiHttpAdapter } from './http/api-http-adapter.js';
import { hardenHttpServer } from './http/http-server-limits.js';
import { requestContext } from './http/request-context.js';
import { assertEveryRouteIsGuarded } from './http/route-checks.js';
import { RouteTable } from './http/route-table.js';
import { securityHeaders } from './http/security-headers.js';
import { publishApiDocument } from './openapi/publish-api-document.js';

/**
 * The whole api, ready to listen. Used by the process and, with a clock and a database of their own, by tests.
 * @throws Error when a route declares no access or is missing from the OpenAPI document
 */
export async function createApi(dependencies: ApiDependencies): Promise<NestExpressApplication> {
  const { logger, clock } = dependencies;
  const app = await NestFactory.create<NestExpressApplication>(
    ApiModule.of(dependencies),
    new ApiHttpAdapter(expressServer()),
    { bodyParser: false, abortOnError: false, logger: new NestLogger(logger.child({}, { level: 'warn' })) },
  );
  app.use(requestContext(logger, app.get(Metrics), clock, app.get(Tracing)), securityHeaders());
  assertEveryRouteIsGuarded(app.get(RouteTable).all());
  publishApiDocument(app);
  if (app.get(TenantBelt, { strict: false }).role === undefined) logger.warn(NO_BELT);
  hardenHttpServer(app.getHttpServer());
  return app.init();
}

/** The workspace stands in every statement all the same. */
const NO_BELT =
  'row-level security is not in force: its role is not there yet, or the user of the database may not make it (docs/security.md)';

/** Express takes these two when its router is made, so Nest must not make it. ETags are set where an answer can be cached. */
function expressServer(): express.Express {
  const server = express();
  server.set('case sensitive routing', true);
  server.set('etag', false);
  server.disable('x-powered-by');
  return server;
}

import type { NestExpressApplication } from '@nestjs/platform-express';
import { type OpenAPIObject, SwaggerModule } from '@nestjs/swagger';
import type { NextFunction, Request, Response } from 'express';
import { assertEveryRouteIsDescribed } from '../http/route-checks.js';
import { RouteTable } from '../http/route-table.js';
import { describeApi, operationOf } from './api-document.js';
import { ApiDescription } from './api-description.js';

// The page needs its own scripts and styles, and nothing from anywhere else: it works without the internet.
const PAGE_POLICY =
  "default-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; frame-ancestors 'none'";

/**
 * Makes the OpenAPI document, for `GET /v1/openapi.json` and the page `/docs`.
 * @throws Error when a route is missing from it
 */
export function publishApiDocument(app: NestExpressApplication): void {
  const routes = app.get(RouteTable).all();
  const document = describeApi(app, routes);
  assertEveryRouteIsDescribed(routes, (route) => Boolean(operationOf(document, route)?.summary));
  app.get(ApiDescription).publish(document);
  servePage(app, document);
}

function servePage(app: NestExpressApplication, document: OpenAPIObject): void {
  app.use('/docs', (_request: Request, response: Response, next: NextFunction) => {
    response.set({ 'Content-Security-Policy': PAGE_POLICY, 'Cache-Control': 'no-cache' });
    next();
  });
  SwaggerModule.setup('docs', app, document, {
    raw: false,
    customSiteTitle: 'Agent Automation Service API',
    // Swagger UI would otherwise send the document's address to a validator on the internet.
    swaggerOptions: { validatorUrl: 'none', persistAuthorization: false, tryItOutEnabled: true },
  });
}

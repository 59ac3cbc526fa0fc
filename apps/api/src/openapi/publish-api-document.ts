import { Injectable } from '@nestjs/common';
import type { NestExpressApplication } from '@nestjs/platform-express';
import { type OpenAPIObject, SwaggerModule } from '@nestjs/swagger';
import type { NextFunction, Request, Response } from 'express';
import { DomainError } from '@app/kernel';
import { type CachedDocument, cachedDocument } from '../http/answers.js';
import { assertEveryRouteIsDescribed, RouteTable } from '../http/route-table.js';
import { describeApi, operationOf } from './api-document.js';

/** Holds the OpenAPI document, which exists only after every controller does. */
@Injectable()
export class ApiDescription {
  private published?: CachedDocument;

  publish(document: OpenAPIObject): void {
    this.published = cachedDocument('application/json', JSON.stringify(document));
  }

  get(): CachedDocument {
    if (!this.published) throw new DomainError('unavailable', 'The api is still starting.');
    return this.published;
  }
}

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

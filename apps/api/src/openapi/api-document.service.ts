import { Injectable } from '@nestjs/common';
import type { NestExpressApplication } from '@nestjs/platform-express';
import { type OpenAPIObject, SwaggerModule } from '@nestjs/swagger';
import type { NextFunction, Request, Response } from 'express';
import { DomainError } from '@app/kernel';
import { type CachedDocument, cachedDocument } from '../http/answers.js';
import { assertEveryRouteIsDescribed, RouteTableService } from '../http/route-table.service.js';
import { describeApi, operationOf, type SchemaUnions } from './api-document.js';

// The page needs no internet access, because it loads scripts and styles only from this server.
const PAGE_POLICY =
  "default-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; frame-ancestors 'none'";

/** Removes the product bar of Swagger UI, limits the length of lines, and gives each method one colour. */
const PAGE_STYLE = `
  .swagger-ui .topbar { display: none }
  .swagger-ui, .swagger-ui .info .title, .swagger-ui .opblock-tag, .swagger-ui .opblock .opblock-summary-description {
    font-family: system-ui, sans-serif; color: #1c2430 }
  .swagger-ui .wrapper { max-width: 1120px }
  .swagger-ui .info { margin: 40px 0 24px }
  .swagger-ui .info .title { font-size: 32px }
  .swagger-ui .info li, .swagger-ui .info p, .swagger-ui .renderedMarkdown p { font-size: 15px; line-height: 1.55; max-width: 46em }
  .swagger-ui .info h2 { font-size: 20px; margin: 32px 0 8px }
  .swagger-ui .renderedMarkdown code, .swagger-ui .info code { background: #eef1f5; color: #1c2430; padding: 1px 4px; border-radius: 3px }
  .swagger-ui .info pre code { display: block; padding: 12px; overflow-x: auto }
  .swagger-ui .scheme-container { box-shadow: none; padding: 12px 0; margin: 0 }
  .swagger-ui .opblock-tag { font-size: 20px; padding: 14px 0 }
  .swagger-ui .opblock-tag small { font-size: 14px; color: #55606e }
  .swagger-ui .opblock { box-shadow: none; border-radius: 6px; margin: 0 0 8px }
  .swagger-ui .opblock .opblock-summary-path { font-size: 14px; max-width: 60% }
  .swagger-ui .parameter__name, .swagger-ui .response-col_status { font-size: 14px }
  .swagger-ui table tbody tr td { vertical-align: top }
`;

/**
 * Holds the OpenAPI document. It can be generated only after all controllers exist, and takes a noticeable part of the
 * start of the API, so it is generated when it is first requested.
 */
@Injectable()
export class ApiDocumentService {
  private document: (() => OpenAPIObject) | undefined;
  private published: CachedDocument | undefined;

  constructor(private readonly routeTable: RouteTableService) {}

  /** Serves the OpenAPI document as `GET /v1/openapi.json`, and its reference page as `/docs`. */
  publish(app: NestExpressApplication, unions: SchemaUnions): void {
    let described: OpenAPIObject | undefined;
    const document = (): OpenAPIObject => (described ??= this.describe(app, unions));
    this.document = document;
    servePage(app, document);
  }

  /** @throws Error if a route is missing from the document */
  get(): CachedDocument {
    if (!this.document) throw new DomainError('unavailable', 'The API is starting. Try again in a few seconds.');
    return (this.published ??= cachedDocument('application/json', JSON.stringify(this.document())));
  }

  private describe(app: NestExpressApplication, unions: SchemaUnions): OpenAPIObject {
    const routes = this.routeTable.all();
    const document = describeApi(app, routes, unions);
    assertEveryRouteIsDescribed(routes, (route) => Boolean(operationOf(document, route)?.summary));
    return document;
  }
}

function servePage(app: NestExpressApplication, document: () => OpenAPIObject): void {
  app.use('/docs', (_request: Request, response: Response, next: NextFunction) => {
    response.set({ 'Content-Security-Policy': PAGE_POLICY, 'Cache-Control': 'no-cache' });
    next();
  });
  SwaggerModule.setup('docs', app, document, {
    raw: false,
    customSiteTitle: 'Agent Automation Service API',
    customCss: PAGE_STYLE,
    swaggerOptions: {
      // Otherwise Swagger UI sends the address of the document to a validator on the internet.
      validatorUrl: 'none',
      persistAuthorization: false,
      deepLinking: true,
      docExpansion: 'none',
      filter: true,
      displayRequestDuration: true,
      defaultModelRendering: 'example',
      defaultModelExpandDepth: 3,
      defaultModelsExpandDepth: 0,
      syntaxHighlight: { theme: 'nord' },
    },
  });
}

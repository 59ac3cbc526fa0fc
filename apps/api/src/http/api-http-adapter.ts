import { createServer, IncomingMessage, ServerResponse } from 'node:http';
import { ExpressAdapter } from '@nestjs/platform-express';
import express, { type Express } from 'express';

/**
 * Express with a server that makes requests and responses as Express wants them. By itself Express gives each of them another
 * prototype after Node has made it, and V8 keeps no shape for an object whose prototype was exchanged: from then on each of its
 * members is looked up the slow way. That was three quarters of what Express and Node cost a request.
 */
export class ApiHttpAdapter extends ExpressAdapter {
  override initHttpServer(): void {
    const app = this.getInstance<Express>();
    // Classes of this app: what Express adds to them names the app.
    class ApiRequest extends IncomingMessage {}
    class ApiResponse<Request extends IncomingMessage> extends ServerResponse<Request> {}
    adopt(ApiRequest.prototype, [express.request, app.request]);
    adopt(ApiResponse.prototype, [express.response, app.response]);
    Object.assign(app, { request: ApiRequest.prototype, response: ApiResponse.prototype });
    this.httpServer = createServer({ IncomingMessage: ApiRequest, ServerResponse: ApiResponse }, app);
  }
}

function adopt(prototype: object, sources: readonly object[]): void {
  for (const source of sources) Object.defineProperties(prototype, Object.getOwnPropertyDescriptors(source));
}

import { createServer, IncomingMessage, ServerResponse } from 'node:http';
import { ExpressAdapter } from '@nestjs/platform-express';
import express, { type Express, type Response } from 'express';
import { compressedBody } from './compressed-body.js';

/**
 * Makes Node create requests and responses with the prototypes of Express. Express itself replaces the prototype of
 * each object after its creation, so V8 looks up every member slowly. These lookups took three quarters of the CPU time
 * that Express and Node need for a request.
 */
export class ApiHttpAdapter extends ExpressAdapter {
  override initHttpServer(): void {
    const app = this.getInstance<Express>();
    // Each app needs its own classes, because Express adds members that refer to the app.
    class ApiRequest extends IncomingMessage {}
    class ApiResponse<Request extends IncomingMessage> extends ServerResponse<Request> {}
    adopt(ApiRequest.prototype, [express.request, app.request]);
    adopt(ApiResponse.prototype, [express.response, app.response]);
    Object.assign(ApiResponse.prototype, { send: sendCompressed });
    Object.assign(app, { request: ApiRequest.prototype, response: ApiResponse.prototype });
    this.httpServer = createServer({ IncomingMessage: ApiRequest, ServerResponse: ApiResponse }, app);
  }
}

/** `send` of Express, which all responses with a body in memory use, with compression of large texts. */
function sendCompressed(this: Response, body?: unknown): Response {
  const { send } = express.response;
  const compressed = compressedBody(this, body);
  if (!compressed) return send.call(this, body);
  // Compression fails if memory is short.
  void compressed.then(
    (bytes) => send.call(this, bytes),
    () => {
      this.removeHeader('Content-Encoding');
      send.call(this, body);
    },
  );
  return this;
}

function adopt(prototype: object, sources: readonly object[]): void {
  for (const source of sources) Object.defineProperties(prototype, Object.getOwnPropertyDescriptors(source));
}

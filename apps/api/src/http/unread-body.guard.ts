import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import { DomainError } from '@app/kernel';
import type { ApiRequest } from './api-request.js';
import { parseJsonObject } from './json-body.js';
import { parseMediaType } from './media-type.js';
import { readBytes } from './request-body.js';
import { refuseFields } from './request-validation.js';

const READS_BODY = Symbol('reads body');
const LARGEST = 64 * 1024;
const WITH_BODY = new Set(['POST', 'PUT', 'PATCH', 'DELETE']);

/** Marks the route of a parameter as one that reads the body of its requests, and says itself what may be in it. */
export function readingBody(parameter: ParameterDecorator): ParameterDecorator {
  return (controller, name, index) => {
    const handler: unknown = name === undefined ? undefined : Reflect.get(controller, name);
    if (typeof handler === 'function') Reflect.defineMetadata(READS_BODY, true, handler);
    parameter(controller, name, index);
  };
}

/** Whether requests of the route may have a body that nothing but {@link UnreadBodyGuard} looks at. */
export function leavesBodyUnread(method: string, handler: object): boolean {
  return WITH_BODY.has(method) && Reflect.getMetadata(READS_BODY, handler) !== true;
}

/**
 * What a route says everything about by its address takes no body, or an empty object: members that it would pass over in
 * silence are refused as everywhere. After authentication, so nothing of a request is parsed until its key has been checked.
 */
@Injectable()
export class UnreadBodyGuard implements CanActivate {
  /** @throws DomainError `invalid_request`, `invalid_json`, `unsupported_media_type`, `payload_too_large` */
  async canActivate(context: ExecutionContext): Promise<boolean> {
    const request = context.switchToHttp().getRequest<ApiRequest>();
    if (leavesBodyUnread(request.method, context.getHandler())) await assertEmpty(request);
    return true;
  }
}

async function assertEmpty(request: ApiRequest): Promise<void> {
  const text = (await readBytes(request, LARGEST)).toString('utf8');
  if (text.trim() === '') return;
  if (parseMediaType(request.headers['content-type'])?.essence !== 'application/json') {
    const detail = 'This operation takes no body. Leave it out, or send an empty JSON object.';
    throw new DomainError('unsupported_media_type', detail);
  }
  refuseFields(parseJsonObject(text));
}

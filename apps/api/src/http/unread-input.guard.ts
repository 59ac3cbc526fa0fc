import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import { DomainError } from '@app/kernel';
import { accessOf } from './access.decorators.js';
import { refuseFields, refuseParameters } from './invalid-request.js';
import { parseJsonObject } from './json-body.js';
import { parseMediaType, readBytes } from './request-body.js';
import type { ApiRequest } from './request-context.js';
import { readsInput } from './route-inputs.js';

const LARGEST = 64 * 1024;
const WITH_BODY = new Set(['POST', 'PUT', 'PATCH', 'DELETE']);

export function leavesBodyUnread(method: string, handler: object): boolean {
  return WITH_BODY.has(method) && !readsInput(handler, 'body');
}

/**
 * Rejects input that no parameter of the route reads. An ignored filter, for example, would lead to a wrong result.
 * Routes that need no key ignore unknown query parameters, because probes and browsers add some. A route without a body
 * accepts no body or an empty object. The guard runs after authentication, so that no body is parsed before the key is
 * checked.
 */
@Injectable()
export class UnreadInputGuard implements CanActivate {
  /** @throws DomainError `invalid_request`, `invalid_json`, `unsupported_media_type`, `payload_too_large` */
  async canActivate(context: ExecutionContext): Promise<boolean> {
    const handler = context.getHandler();
    const request = context.switchToHttp().getRequest<ApiRequest>();
    if (accessOf(handler)?.kind === 'key' && !readsInput(handler, 'query')) refuseParameters(request.query);
    if (leavesBodyUnread(request.method, handler)) await assertEmpty(request);
    return true;
  }
}

async function assertEmpty(request: ApiRequest): Promise<void> {
  const text = (await readBytes(request, LARGEST)).toString('utf8');
  if (text.trim() === '') return;
  if (parseMediaType(request.headers['content-type'])?.essence !== 'application/json') {
    const detail = 'This operation accepts no body. Send no body, or an empty JSON object.';
    throw new DomainError('unsupported_media_type', detail);
  }
  refuseFields(parseJsonObject(text));
}

import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import { accessOf } from './access.decorators.js';
import type { ApiRequest } from './api-request.js';
import { refuseParameters } from './request-validation.js';

const READS_QUERY = Symbol('reads query');

/** Marks the route of a parameter as one that checks the query parameters of its requests. */
export function readingQuery(parameter: ParameterDecorator): ParameterDecorator {
  return (controller, name, index) => {
    const handler: unknown = name === undefined ? undefined : Reflect.get(controller, name);
    if (typeof handler === 'function') Reflect.defineMetadata(READS_QUERY, true, handler);
    parameter(controller, name, index);
  };
}

/**
 * Refuses query parameters of routes that take none: a filter that is ignored gives a wrong answer. Routes without a key ignore
 * them, because probes, scrapers and browsers add parameters.
 */
@Injectable()
export class UnreadQueryGuard implements CanActivate {
  /** @throws DomainError `invalid_request` */
  canActivate(context: ExecutionContext): boolean {
    const handler = context.getHandler();
    if (accessOf(handler)?.kind !== 'key' || Reflect.getMetadata(READS_QUERY, handler) === true) return true;
    refuseParameters(context.switchToHttp().getRequest<ApiRequest>().query);
    return true;
  }
}

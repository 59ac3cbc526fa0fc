import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import { DomainError } from '@app/kernel';
import type { ApiRequest } from '../http/request-context.js';
import { SessionCookieService } from '../http/session-cookie.service.js';

/** Rejects a sign-in that a page of another site sent. Such a page could sign a person in to someone else's account. */
@Injectable()
export class SameOriginGuard implements CanActivate {
  constructor(private readonly cookie: SessionCookieService) {}

  /** @throws DomainError `cross_site` */
  canActivate(context: ExecutionContext): boolean {
    const request = context.switchToHttp().getRequest<ApiRequest>();
    if (request.method === 'POST' && this.cookie.isForeign(request)) {
      throw new DomainError(
        'cross_site',
        'A page of another site cannot sign a person in or out. Use a page of this service.',
      );
    }
    return true;
  }
}
